import { AudienceError } from '../core/errors.ts'
import { formatDuration } from '../core/format/duration-text.ts'
import { isSameJson } from '../core/json.ts'
import { isBlock, type Step, type StepOrBlock } from '../core/pipeline.ts'
import { reportError } from '../core/report-error.ts'
import { type StepRef, stepKey } from '../core/run.ts'
import type { Expression } from '../core/template.ts'
import { evaluateCondition } from '../expressions/evaluate.ts'
import { referencesOf } from '../expressions/tree-of.ts'
import { outOfTimeAt } from './deadline.ts'
import { cancelStep, decideItems, finishKept } from './decide-items.ts'
import { type Decision, merge, nothing, record, start, wake } from './decision.ts'
import { expandInRun } from './expand.ts'
import { needsFailed, settledOf } from './failures.ts'
import { decideGuarded } from './guards/decide-guarded.ts'
import { type Item, isLooping, stepRefOf } from './item.ts'
import type { RunFacts } from './run-facts.ts'
import { besideOf, scopeOf } from './scope.ts'

/** What to do next about one step of the phase that the run is in; in a block, about its execution in an item. */
export function decideStep(facts: RunFacts, step: StepOrBlock, now: number, item?: Item): Decision {
  const known = facts.state.steps.get(stepKey(stepRefOf(step, item)))
  if (known?.settled) return nothing
  if (facts.state.cancelRequested && !item && !facts.pipeline.finally.includes(step)) return cancelStep(facts, step)
  if (known?.items && isLooping(step)) return decideItems(facts, step, decideInItem, now)
  if (known && !isBlock(step)) return decideAttempt(facts, step, now, item)
  if (!step.needs.every((id) => settledOf({ id }, facts.state, item))) return nothing
  return begin(facts, step, now, item)
}

/**
 * Decides what to do next in an item: for one execution of a step with a forEach, or for the executions of the steps of
 * a block.
 */
function decideInItem(facts: RunFacts, item: Item, now: number): Decision {
  const { of } = item
  return isBlock(of)
    ? merge(of.steps.map((step) => decideStep(facts, step, now, item)))
    : decideAttempt(facts, of, now, item)
}

function begin(facts: RunFacts, step: StepOrBlock, now: number, item?: Item): Decision {
  const ref = stepRefOf(step, item)
  const kept = facts.state.kept.get(stepKey(ref))
  if (kept && 'outputs' in kept && isSameJson(kept.item, item?.value)) return record(...finishKept(ref, kept))
  try {
    if (!isWanted(facts, step, item)) return record({ type: 'step.finished', ...ref, status: 'skipped' })
    if (isLooping(step)) return record({ type: 'step.expanded', ...ref, ...expandInRun(facts, step) })
    return decideAttempt(facts, step, now, item)
  } catch (error) {
    return record({ type: 'step.finished', ...ref, status: 'failed', error: reportError(error, step.at) })
  }
}

/** A step without a condition on failures runs only if nothing that it needs failed. */
function isWanted(facts: RunFacts, step: StepOrBlock, item?: Item): boolean {
  if (!toleratesFailure(step.if) && needsFailed(step, besideOf(facts.pipeline, item), facts.state, item)) return false
  return step.if === undefined || evaluateCondition(step.if, scopeOf(facts, { step, item }))
}

/** Whether an `if` asks how earlier steps ended. If it does, it decides about their failures itself. */
function toleratesFailure(condition: Expression | undefined): boolean {
  if (!condition) return false
  const { calls } = referencesOf(condition)
  return calls.has('success') || calls.has('failure')
}

/** A step that waits for a person continues after a decision. The step or its run may time out first. */
function decideWaiting(facts: RunFacts, step: Step, ref: StepRef, now: number): Decision {
  // While its guard holds it, a step does no work, and `timeout` limits only working time.
  const isHeld = facts.state.steps.get(stepKey(ref))?.guard?.verdict === 'held'
  const end = outOfTimeAt(facts, { step: isHeld ? { ...step, timeoutMs: undefined } : step, ref }, now)
  const { since = now, timeoutMs } = facts.state.steps.get(stepKey(ref))?.approval ?? {}
  const endsAt = Math.min(end?.at ?? Number.POSITIVE_INFINITY, since + (timeoutMs ?? Number.POSITIVE_INFINITY))
  if (now < endsAt) return endsAt < Number.POSITIVE_INFINITY ? wake(endsAt) : nothing
  const error = new AudienceError({
    code: 'approval-timeout',
    kind: 'failed',
    message: `nobody decided about step "${stepKey(ref)}" within ${formatDuration(endsAt - since)}`,
    hint: 'raise `timeout`, or run again and decide earlier',
    at: step.at,
  })
  return record({ type: 'step.finished', ...ref, status: 'failed', error: reportError(error) })
}

function decideAttempt(facts: RunFacts, step: Step, now: number, item?: Item): Decision {
  const ref = stepRefOf(step, item)
  const known = facts.state.steps.get(stepKey(ref))
  if (known?.waiting) return decideWaiting(facts, step, ref, now)
  const guarded = known && decideGuarded(facts, { step, ref, known })
  if (guarded) return guarded
  const begin = (attempt: number) => start({ step, ref, attempt, item })
  // The decision "again" begins a new attempt, so its intent is recorded again.
  if (known?.decision === 'again') return begin(known.attempt + 1)
  if (known?.retryAt === undefined) return begin(Math.max(1, known?.attempt ?? 1))
  return now >= known.retryAt ? begin(known.attempt + 1) : wake(known.retryAt)
}
