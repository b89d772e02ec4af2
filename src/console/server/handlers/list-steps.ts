import type { StepDescription } from '../../../runs/describe-run.ts'
import type { Handler } from '../call.ts'
import { readRun, toStepItem } from '../run-facts.ts'

const USUAL = 100

/** The steps of a run, or the items of one forEach: those that need a person first, then by their places. */
export const listSteps: Handler<'runs.steps'> = async (deps, input) => {
  const { runId, step, index, q, offset = 0, limit = USUAL } = input
  const { steps } = (await readRun(deps, runId)).run
  const itemsOf = Map.groupBy(
    steps.filter((one) => one.index !== undefined && one.block === undefined),
    (item) => item.step,
  )
  const isWanted = (one: StepDescription) =>
    step === undefined ? one.index === undefined : one.block === step && one.index === index
  const all =
    step === undefined || index !== undefined ? steps.filter(isWanted) : (itemsOf.get(step) ?? []).toSorted(byUrgency)
  const wanted = q === undefined ? all : all.filter((one) => hasText(one, q.toLowerCase()))
  return {
    steps: wanted
      .slice(offset, offset + limit)
      .map((one) => toStepItem(one, one.index === undefined ? itemsOf.get(one.step) : [])),
    total: wanted.length,
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
