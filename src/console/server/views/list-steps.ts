import type { StepDescription } from '../../../runs/describe-run.ts'
import { toStepItem } from '../run-facts.ts'
import type { View } from './view.ts'

const USUAL = 100

/** The steps of a run, or the items of one forEach: those that need a person first, then by their places. */
export const listSteps: View<'runs.steps'> = async ({ readRun }, input, { caller }) => {
  const { runId, step, index, item, q, offset = 0, limit = USUAL } = input
  const { run, records } = await readRun(runId)
  const itemsOf = Map.groupBy(
    run.steps.filter((one) => one.index !== undefined && one.block === undefined),
    ({ step }) => step,
  )
  const items = itemsOf.get(step ?? '') ?? []
  const wanted = () => {
    if (step === undefined) return run.steps.filter((one) => one.index === undefined)
    if (index !== undefined) return run.steps.filter((one) => one.block === step && one.index === index)
    if (item !== undefined) return items.filter((one) => one.index === item)
    return items.toSorted(byUrgency)
  }
  const found = q === undefined ? wanted() : wanted().filter((one) => hasText(one, q.toLowerCase()))
  return {
    steps: found
      .slice(offset, offset + limit)
      .map((one) => toStepItem(one, { records, caller, items: one.index === undefined ? itemsOf.get(one.step) : [] })),
    total: found.length,
  }
}

function hasText({ step, key, label, error }: StepDescription, text: string): boolean {
  return [step, key, label, error?.message].some((part) => part?.toLowerCase().includes(text))
}

const URGENCY: readonly StepDescription['status'][] = [
  'failed',
  'waiting',
  'running',
  'cancelled',
  'succeeded',
  'skipped',
]

function byUrgency(a: StepDescription, b: StepDescription): number {
  return URGENCY.indexOf(a.status) - URGENCY.indexOf(b.status) || (a.index ?? 0) - (b.index ?? 0)
}
