import { isBlock, type StepOrBlock } from '../core/pipeline.ts'
import { stepKey, type ToleratedFailures } from '../core/run.ts'
import { type Item, isLooping, itemAt, type Looping, stepRefOf } from './item.ts'
import type { RunState, StepState } from './run-state.ts'

type Settled = NonNullable<StepState['settled']>

/** How the execution of a step ended, in the run or in an item. */
export function settledOf(step: { id: string }, state: RunState, item?: Item): Settled | undefined {
  return state.steps.get(stepKey(stepRefOf(step, item)))?.settled
}

/** Whether a step ended in a way that stops the steps that need it. */
function hasFailed(step: StepOrBlock, state: RunState, item?: Item): boolean {
  const status = settledOf(step, state, item)?.status
  return status === 'cancelled' || (status === 'failed' && !step.continueOnError)
}

/** Whether a step of a list failed without being allowed to. */
export function anyFailed(steps: readonly StepOrBlock[], state: RunState, item?: Item): boolean {
  return steps.some((step) => hasFailed(step, state, item))
}

/** The steps of a list that failed without being allowed to, the earliest failure first. */
export function failedSteps(
  steps: readonly StepOrBlock[],
  state: RunState,
  item?: Item,
): { step: StepOrBlock; settled: Settled }[] {
  return steps
    .filter((step) => hasFailed(step, state, item))
    .flatMap((step) => {
      const settled = settledOf(step, state, item)
      return settled ? [{ step, settled }] : []
    })
    .sort((a, b) => a.settled.at - b.settled.at)
}

/**
 * The failures that `continueOnError` and `maxFailures` allowed; undefined if there are none. A forEach with failed
 * items counts its items. Other steps that ran count one each, but only if one of them failed: a step that prepares the
 * list does not turn "2 of 20 failed" into "2 of 21".
 */
export function toleratedFailures(steps: readonly StepOrBlock[], state: RunState): ToleratedFailures {
  const inItems = { failures: 0, of: 0 }
  const bySteps = { failures: 0, of: 0 }
  for (const step of steps) {
    const { settled, items } = state.steps.get(step.id) ?? {}
    if (settled?.status !== 'failed' && settled?.status !== 'succeeded') continue
    const failed = isLooping(step) ? failedItems(step, state).length : 0
    if (failed > 0) {
      inItems.failures += failed
      inItems.of += items?.length ?? failed
    } else {
      bySteps.failures += settled.status === 'failed' ? 1 : 0
      bySteps.of += 1
    }
  }
  const failures = inItems.failures + bySteps.failures
  return failures === 0 ? {} : { failures, failuresOf: inItems.of + (bySteps.failures > 0 ? bySteps.of : 0) }
}

/** The items of a forEach in which something failed, even if a step of a block allowed it with `continueOnError`. */
export function failedItems(of: Looping, state: RunState): readonly number[] {
  const { items, keys, progress } = state.steps.get(of.id) ?? {}
  if (!items || !progress) return []
  const isHurt = (index: number) => {
    if (progress.failed.has(index)) return true
    const item = itemAt(of, { items, keys }, index)
    return isBlock(of) && of.steps.some((step) => settledOf(step, state, item)?.status === 'failed')
  }
  return [...progress.begun].filter(isHurt)
}

/** Whether a step that this one needs, directly or through others, failed. `beside`: the steps that it can need. */
export function needsFailed(step: StepOrBlock, beside: readonly StepOrBlock[], state: RunState, item?: Item): boolean {
  if (!anyFailed(beside, state, item)) return false
  const byId = new Map(beside.map((candidate) => [candidate.id, candidate]))
  const seen = new Set<string>()
  const open = [...step.needs]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const need = byId.get(id)
    if (!need || seen.has(id)) continue
    if (hasFailed(need, state, item)) return true
    seen.add(id)
    open.push(...need.needs)
  }
  return false
}
