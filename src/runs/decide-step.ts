import { AudienceError } from '../core/errors.ts'
import { isSameJson, type Json } from '../core/json.ts'
import type { Expression, Step } from '../core/pipeline.ts'
import { reportError } from '../core/report-error.ts'
import { type KeptExecution, type RunRecord, type StepRef, stepKey } from '../core/run.ts'
import { evaluateCondition, evaluateTemplate } from '../expressions/evaluate.ts'
import { referencesOf } from '../expressions/tree-of.ts'
import { outOfTimeAt } from './deadline.ts'
import { type Decision, merge, nothing, record, start, wake } from './decision.ts'
import { needsFailed } from './failures.ts'
import { decideGuarded } from './guards/decide-guarded.ts'
import type { RunFacts } from './run-facts.ts'
import { scopeOf } from './scope.ts'

/** A forEach over more items is refused. */
const MAX_FOR_EACH_ITEMS = 10_000

/** What to do next about one step of the phase that the run is in. */
export function decideStep(facts: RunFacts, step: Step, now: number): Decision {
  const known = facts.state.steps.get(step.id)
  if (known?.settled) return nothing
  if (facts.state.cancelRequested && facts.pipeline.steps.includes(step)) return cancelStep(facts, step)
  if (known?.items) return decideItems(facts, step, known.items, now)
  if (known) return decideAttempt(facts, step, { step: step.id }, now)
  if (!step.needs.every((id) => facts.state.steps.get(id)?.settled)) return nothing
  return begin(facts, step, now)
}

/** The active parts of the step must stop. Its items end first, so that every execution has an end. */
function cancelStep(facts: RunFacts, step: Step): Decision {
  const items = facts.state.steps.get(step.id)?.items ?? []
  const open = items.flatMap((_, index) => {
    const state = facts.state.steps.get(stepKey({ step: step.id, index }))
    return state && !state.settled ? [{ step: step.id, index }] : []
  })
  return record(
    ...[...open, { step: step.id }].map((ref) => ({ type: 'step.finished', status: 'cancelled', ...ref }) as const),
  )
}

function begin(facts: RunFacts, step: Step, now: number): Decision {
  const kept = facts.state.kept.get(step.id)
  if (kept && 'outputs' in kept) return record(...finishKept(kept))
  try {
    if (!isWanted(facts, step)) return record({ type: 'step.finished', step: step.id, status: 'skipped' })
    if (!step.forEach) return decideAttempt(facts, step, { step: step.id }, now)
    const items = itemsOf(evaluateTemplate(step.forEach.items, scopeOf(facts, { step })), step)
    return record({ type: 'step.expanded', step: step.id, items })
  } catch (error) {
    return record({ type: 'step.finished', step: step.id, status: 'failed', error: reportError(error, step.at) })
  }
}

/** A step without a condition on failures runs only if nothing that it needs failed. */
function isWanted(facts: RunFacts, step: Step): boolean {
  if (!toleratesFailure(step.if) && needsFailed(step, facts.pipeline, facts.state)) return false
  return step.if === undefined || evaluateCondition(step.if, scopeOf(facts, { step }))
}

/** An `if` that asks how earlier steps ended decides about their failures itself. */
function toleratesFailure(condition: Expression | undefined): boolean {
  if (!condition) return false
  const { calls } = referencesOf(condition)
  return calls.has('success') || calls.has('failure')
}

function itemsOf(value: Json, step: Step): readonly Json[] {
  if (Array.isArray(value) && value.length <= MAX_FOR_EACH_ITEMS) return value
  throw new AudienceError({
    code: 'for-each-items',
    kind: 'failed',
    message: Array.isArray(value)
      ? `forEach of step "${step.id}" has ${value.length} items; the limit is ${MAX_FOR_EACH_ITEMS}`
      : `forEach of step "${step.id}" wants a list of items`,
    hint: 'change `items` of the step',
    at: step.at,
  })
}

function decideItems(facts: RunFacts, step: Step, items: readonly Json[], now: number): Decision {
  const states = items.map((_, index) => facts.state.steps.get(stepKey({ step: step.id, index })))
  const kept = keptItems(facts, step, items)
  if (kept.length > 0) return record(...kept.flatMap(finishKept))
  const failed = states.find((state) => state?.settled?.status === 'failed')
  const open = states.flatMap((state, index) => (state && !state.settled ? [index] : []))
  const fresh = states.flatMap((state, index) => (state ? [] : [index]))
  const room = Math.max(0, (step.forEach?.maxParallel ?? 1) - open.length)
  const wanted = failed && !step.continueOnError ? open : [...open, ...fresh.slice(0, room)]
  if (wanted.length > 0) {
    return merge(wanted.map((index) => decideAttempt(facts, step, { step: step.id, index }, now, items[index])))
  }
  const outputs = states.map((state) => state?.settled?.outputs ?? null)
  const error = failed?.settled?.error
  return record({
    type: 'step.finished',
    step: step.id,
    status: failed ? 'failed' : 'succeeded',
    outputs,
    ...(error && { error }),
  })
}

/** The items that an earlier run completed and that have not been taken over: the same value at the same index. */
function keptItems({ state }: RunFacts, step: Step, items: readonly Json[]): readonly KeptOutputs[] {
  if (state.kept.size === 0) return []
  return items.flatMap((item, index) => {
    const key = stepKey({ step: step.id, index })
    const kept = state.kept.get(key)
    if (!kept || !('outputs' in kept) || state.steps.has(key)) return []
    return kept.item !== undefined && isSameJson(kept.item, item) ? [kept] : []
  })
}

type KeptOutputs = Extract<KeptExecution, { outputs: Json }>

/** What its guard measured counts as a value of this run, if this run succeeds. */
function finishKept({ step, index, outputs, from, guards = [] }: KeptOutputs): RunRecord[] {
  const ref = { step, ...(index !== undefined && { index }) }
  return [
    ...guards.map((guard) => ({ type: 'guard.measured', ...guard }) as const),
    { type: 'step.finished', ...ref, status: 'succeeded', outputs, keptFrom: from },
  ]
}

/** A step that waits for a person continues after a decision. The step or its run may time out first. */
function decideWaiting(facts: RunFacts, step: Step, ref: StepRef, now: number): Decision {
  // While its guard holds it, a step does no work of which `timeout` could limit the time.
  const isHeld = facts.state.steps.get(stepKey(ref))?.guard?.verdict === 'held'
  const end = outOfTimeAt(facts, { step: isHeld ? { ...step, timeoutMs: undefined } : step, ref }, now)
  if (!end) return nothing
  if (now < end.at) return wake(end.at)
  const error = new AudienceError({
    code: 'approval-timeout',
    kind: 'failed',
    message: `nobody decided about step "${stepKey(ref)}" in time`,
    hint: 'raise `timeout`, or run again and decide earlier',
    at: step.at,
  })
  return record({ type: 'step.finished', ...ref, status: 'failed', error: reportError(error) })
}

function decideAttempt(facts: RunFacts, step: Step, ref: StepRef, now: number, item?: Json): Decision {
  const known = facts.state.steps.get(stepKey(ref))
  if (known?.waiting) return decideWaiting(facts, step, ref, now)
  const guarded = known && decideGuarded(facts, { step, ref, known })
  if (guarded) return guarded
  const begin = (attempt: number) => start({ step, ref, attempt, ...(item !== undefined && { item }) })
  // "Again" means a fresh attempt, so its intent is recorded anew.
  if (known?.decision === 'again') return begin(known.attempt + 1)
  if (known?.retryAt === undefined) return begin(Math.max(1, known?.attempt ?? 1))
  return now >= known.retryAt ? begin(known.attempt + 1) : wake(known.retryAt)
}
