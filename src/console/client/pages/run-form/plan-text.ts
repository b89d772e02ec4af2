import {
  describeChange,
  describeListChange,
  type FieldChange,
  type ListChange,
} from '../../../../core/format/field-change.ts'

export type PlannedStep = ReturnType<typeof stepPlan>

/** Reads a step of a plan, as in `audience plan --format json`. */
export function stepPlan(step: Readonly<Record<string, unknown>>) {
  const field = (name: string) => (typeof step[name] === 'string' ? step[name] : '')
  const list = (name: string) => (Array.isArray(step[name]) ? (step[name] as readonly unknown[]) : [])
  const changes = list('changes') as readonly FieldChange[]
  const fields = new Set(changes.map((change) => change.field.split('.')[0]))
  const changed = list('changed')
    .filter((name) => !fields.has(String(name)))
    .join(', ')
  const figures = step.list as ListChange | undefined
  const items = list('items').length
  const parts = [field('why'), changed && `changes ${changed}`, items > 0 && `${items} items`]
  return {
    id: field('id'),
    uses: field('uses'),
    action: field('action'),
    why: parts.filter(Boolean).join('; '),
    // The fields that the step changes, each with both values, and the figures of a list.
    changes: [...changes.map(describeChange), ...(figures ? [`list: ${describeListChange(figures)}`] : [])],
    requests: list('requests').map((request) => {
      const { method, path } = request as { readonly method?: string; readonly path?: string }
      return `${method} ${path}`
    }),
  }
}

const ACTIONS: Readonly<Record<string, string>> = {
  afterRun: 'known only during the run',
  leave: 'leave as it is',
  fail: 'fail',
  skip: 'be skipped',
  wait: 'wait',
}

export function actionText(action: string): string {
  return ACTIONS[action] ?? action
}
