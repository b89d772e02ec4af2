import type { Json } from '../core/json.ts'
import { isBlock, type StepOrBlock } from '../core/pipeline.ts'
import { type KeptExecution, type RunRecord, type StepRef, stepKey } from '../core/run.ts'
import { type Decision, merge, record } from './decision.ts'
import { failedSteps, settledOf } from './failures.ts'
import { type Item, isLooping, itemAt, type Looping, loopItems, stepRefOf } from './item.ts'
import { freshItems, type ItemProgress } from './item-progress.ts'
import { itemResult, stepsOfItem } from './item-result.ts'
import type { RunFacts } from './run-facts.ts'
import type { StepState } from './run-state.ts'

/** What to do next about the items of a forEach; `decideItem` says what to do about one of them. */
export function decideItems(
  facts: RunFacts,
  of: Looping,
  decideItem: (facts: RunFacts, item: Item, now: number) => Decision,
  now: number,
): Decision {
  const known = facts.state.steps.get(of.id)
  const { items, keys, progress } = known ?? {}
  if (!items || !progress) return record()
  const at = (index: number) => itemAt(of, { items, keys }, index)
  if (progress.kept.size > 0) return record(...[...progress.kept].flatMap((index) => keptItem(facts, at(index))))
  const room = hasTooManyFailures(of, items.length, progress) && !triesAll(of) ? 0 : of.forEach.maxParallel
  const fresh = freshItems(progress, items.length, Math.max(0, room - progress.open.size))
  const wanted = [...progress.open, ...fresh].map(at)
  if (wanted.length === 0) return record(finish(facts, of, items, progress))
  const over = isBlock(of) ? wanted.flatMap((item) => finishItem(facts, of.steps, item)) : []
  return over.length > 0 ? record(...over) : merge(wanted.map((item) => decideItem(facts, item, now)))
}

/** The end of an item of a block whose steps have all ended. */
function finishItem({ state }: RunFacts, steps: readonly StepOrBlock[], item: Item): readonly RunRecord[] {
  if (!steps.every((step) => settledOf(step, state, item))) return []
  const [failed] = failedSteps(steps, state, item)
  const ref = stepRefOf(item.of, item)
  if (!failed) return [{ type: 'step.finished', ...ref, status: 'succeeded' }]
  const { error } = failed.settled
  const step = stepKey(stepRefOf(failed.step, item))
  return [{ type: 'step.finished', ...ref, status: 'failed', error: error && { ...error, step } }]
}

function finish({ state }: RunFacts, of: Looping, items: readonly Json[], progress: ItemProgress): RunRecord {
  const known: Pick<StepState, 'items' | 'keys'> = state.steps.get(of.id) ?? {}
  const outputs = loopItems(of, known).map((item) =>
    isBlock(of) ? itemResult(of, state, item) : (settledOf(of, state, item)?.outputs ?? null),
  )
  const failed = triesAll(of) ? progress.failed.size > 0 : hasTooManyFailures(of, items.length, progress)
  const first = Math.min(...progress.failed)
  const error = failed ? settledOf(of, state, itemAt(of, { items, ...known }, first))?.error : undefined
  const status = failed ? 'failed' : 'succeeded'
  return { type: 'step.finished', step: of.id, status, outputs, error }
}

/** With `continueOnError` and without a limit, every item is tried, and one failure fails the step. */
function triesAll({ continueOnError, forEach }: Looping): boolean {
  return continueOnError && forEach.maxFailures === undefined
}

function hasTooManyFailures({ forEach }: Looping, total: number, { failed }: ItemProgress): boolean {
  const { maxFailures = { count: 0 } } = forEach
  return failed.size > ('count' in maxFailures ? maxFailures.count : Math.floor((total * maxFailures.percent) / 100))
}

/** The records for an item that an earlier run completed; none if it did not complete the item. */
function keptItem({ state }: RunFacts, item: Item): readonly RunRecord[] {
  const ref = stepRefOf(item.of, item)
  const kept = state.kept.get(stepKey(ref))
  return kept && 'outputs' in kept ? finishKept(ref, kept) : []
}

/**
 * The values that the guards of a kept execution measured count as values of this run, if this run succeeds. The index
 * is the one in this run, because an item with a key may have moved.
 */
export function finishKept(ref: StepRef, kept: Extract<KeptExecution, { outputs: Json }>): readonly RunRecord[] {
  const { outputs, from, guards = [] } = kept
  const place = ref.index !== undefined && { index: ref.index }
  return [
    ...guards.map((guard) => ({ type: 'guard.measured', ...guard, ...place }) as const),
    { type: 'step.finished', ...ref, status: 'succeeded', outputs, keptFrom: from },
  ]
}

/** The active parts of a step must stop. They end from the inside out, so that every execution has an end. */
export function cancelStep({ state }: RunFacts, step: StepOrBlock): Decision {
  const { items, keys, progress } = state.steps.get(step.id) ?? {}
  const open =
    items && progress && isLooping(step) ? [...progress.open].map((index) => itemAt(step, { items, keys }, index)) : []
  const inside = open.flatMap((item) => [
    ...stepsOfItem(item).filter((ref) => isOpen(state.steps.get(stepKey(ref)))),
    stepRefOf(step, item),
  ])
  return record(
    ...[...inside, { step: step.id }].map((ref) => ({ type: 'step.finished', status: 'cancelled', ...ref }) as const),
  )
}

function isOpen(known: StepState | undefined): boolean {
  return known !== undefined && !known.settled
}
