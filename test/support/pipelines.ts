import type { Block, ForEach, Pipeline, Step, StepOrBlock } from '../../src/core/pipeline.ts'
import type { StepType } from '../../src/core/step-type.ts'
import type { Expression, Template, TemplateMap } from '../../src/core/template.ts'

const at = { file: 'test.yaml', line: 1, column: 1 }

export const expression = (source: string): Expression => ({ source, at })

/** A value with `${{ }}` only as whole strings. */
export function template(value: Readonly<Record<string, unknown>>): TemplateMap
export function template(value: unknown): Template
export function template(value: unknown): Template {
  if (typeof value === 'string') {
    const whole = /^\$\{\{(.*)\}\}$/.exec(value)
    return whole ? { kind: 'expression', expression: expression(whole[1]!) } : { kind: 'value', value }
  }
  if (Array.isArray(value)) return { kind: 'list', items: value.map(template) }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, entry]) => [key, template(entry)])
    return { kind: 'map', entries: Object.fromEntries(entries) }
  }
  return { kind: 'value', value: value as string | number | boolean | null }
}

export function step(id: string, own: Partial<Step> = {}): Step {
  return {
    id,
    uses: 'work',
    with: template({}),
    needs: [],
    await: false,
    expect: [],
    continueOnError: false,
    at,
    ...own,
  }
}

const anything = { type: 'object', properties: {} } as const
const work = { name: 'work', summary: '', input: anything, output: anything, startsJob: false, check: () => [] }
/** The only type of these steps. It accepts and returns anything. */
export const testStepTypes: ReadonlyMap<string, StepType> = new Map([['work', work]])

/** A forEach with several steps over the items x, y and z, two at a time; each item is its own key. */
export function block(
  id: string,
  steps: readonly Step[],
  { forEach, ...own }: Partial<Omit<Block, 'forEach'>> & { readonly forEach?: Partial<ForEach> } = {},
): Block {
  const items = template(['x', 'y', 'z'])
  const key = template('${{ item }}')
  const all = { items, key, as: 'item', maxParallel: 2, ...forEach }
  return { id, needs: [], continueOnError: false, at, ...own, forEach: all, steps }
}

/** A pipeline as the loader would return it. Its text is its JSON, which `readTestPipeline` reads. */
export function pipeline(steps: readonly StepOrBlock[], own: Partial<Pipeline> = {}): Pipeline {
  const parts = {
    file: 'test.yaml',
    digest: '',
    name: 'test',
    inputs: {},
    variables: {},
    env: [],
    triggers: [],
    steps,
    outputs: {},
    onFailure: [],
    finally: [],
    readsLast: JSON.stringify([steps, own]).includes('last.'),
    ...own,
  }
  return { ...parts, text: JSON.stringify(parts) }
}

export function readTestPipeline({ text }: { text: string }): Pipeline {
  return { ...(JSON.parse(text) as Pipeline), text }
}
