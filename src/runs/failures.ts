import type { Pipeline, Step } from '../core/pipeline.ts'
import { stepKey, type ToleratedFailures } from '../core/run.ts'
import type { RunState, StepState } from './run-state.ts'

/** Whether a step ended in a way that stops the steps that need it. */
function hasFailed(step: Step, state: RunState): boolean {
  const status = state.steps.get(step.id)?.settled?.status
  return status === 'cancelled' || (status === 'failed' && !step.continueOnError)
}

/** Whether a step of a list failed and was not allowed to. */
export function anyFailed(steps: readonly Step[], state: RunState): boolean {
  return steps.some((step) => hasFailed(step, state))
}

/** The steps of a list that failed and were not allowed to, the earliest failure first. */
export function failedSteps(steps: readonly Step[], state: RunState): { step: Step; settled: Settled }[] {
  return steps
    .filter((step) => hasFailed(step, state))
    .flatMap((step) => {
      const settled = state.steps.get(step.id)?.settled
      return settled ? [{ step, settled }] : []
    })
    .sort((a, b) => a.settled.at - b.settled.at)
}

/** The failures that `continueOnError` allowed; nothing if there are none. */
export function toleratedFailures(steps: readonly Step[], state: RunState): ToleratedFailures {
  let failures = 0
  let failuresOf = 0
  for (const { id } of steps.filter((step) => step.continueOnError)) {
    const known = state.steps.get(id)
    if (known?.settled?.status !== 'failed') continue
    const items = (known.items ?? []).map((_, index) => state.steps.get(stepKey({ step: id, index }))?.settled?.status)
    failures += Math.max(1, items.filter((status) => status === 'failed').length)
    failuresOf += Math.max(1, items.length)
  }
  return failures === 0 ? {} : { failures, failuresOf }
}

type Settled = NonNullable<StepState['settled']>

/** Whether a step that this one needs, directly or through others, failed. */
export function needsFailed(step: Step, pipeline: Pipeline, state: RunState): boolean {
  if (!anyFailed(pipeline.steps, state)) return false
  const byId = new Map(pipeline.steps.map((candidate) => [candidate.id, candidate]))
  const seen = new Set<string>()
  const open = [...step.needs]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const need = byId.get(id)
    if (!need || seen.has(id)) continue
    if (hasFailed(need, state)) return true
    seen.add(id)
    open.push(...need.needs)
  }
  return false
}
