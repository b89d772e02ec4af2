import { CHILD_RUN } from '../core/engine.ts'
import { isJsonObject } from '../core/json.ts'
import { type Block, isBlock, type Pipeline, type StepOrBlock } from '../core/pipeline.ts'
import { type KeptExecution, type Measured, type Seed, type StepRef, stepKey } from '../core/run.ts'
import { type DoneAgain, doneAgain } from './done-again.ts'
import { failedItems, settledOf } from './failures.ts'
import { entryOf, type Item, isLooping, loopItems, stepRefOf } from './item.ts'
import { outputsOfItem, stepsOfItem } from './item-result.ts'
import { announcedWrites, keepsEffects } from './keeps-effects.ts'
import type { RunState, StepState } from './run-state.ts'

/** A run that is repeated. */
interface EarlierRun {
  readonly runId: string
  readonly state: RunState
}

/**
 * What a rerun keeps from an earlier run: each successful step execution of steps that the pipeline still has, except
 * `from` and everything that needs it, directly or through others; and for unsuccessful executions, the effects that
 * must not happen twice. Results that the earlier run itself kept but did not reach are also kept. `from` is an id
 * (also of a step of a block), an item (`audience[seg07]`) or a step of an item (`audience[seg07].match`). Throws an
 * AudienceError of the kind `usage` if there is no such execution.
 */
export function seedOf(pipeline: Pipeline, earlier: EarlierRun, from?: string): Seed {
  const again = doneAgain(pipeline, earlier.state, from)
  return { runId: earlier.runId, kept: pipeline.steps.flatMap((step) => keptOf(step, earlier, again)) }
}

function keptOf(step: StepOrBlock, earlier: EarlierRun, again: DoneAgain): readonly KeptExecution[] {
  const { runId, state } = earlier
  const { id } = step
  const whole = again({ step: id }) ? undefined : keptExecution({ step: id }, runId, state, allWithin(step, state))
  const isWhole = !isLooping(step) || failedItems(step, state).length === 0
  if (whole && 'outputs' in whole && isWhole) return [whole]
  const unused = [...state.kept]
    .filter(([key, execution]) => entryOf(execution) === id && !isUsed(execution, key, state))
    .flatMap(([, execution]) => withoutAgain(execution, step, again))
  const known = isLooping(step) ? loopItems(step, state.steps.get(id) ?? {}) : []
  const ofItems = known.flatMap((item) =>
    keptOfItem(item, earlier, again).map((execution) => ({ ...execution, item: item.value })),
  )
  const own = whole && !('outputs' in whole) ? [whole] : []
  const kept = new Map([...unused, ...own, ...ofItems].map((execution) => [stepKey(execution), execution]))
  return [...kept.values()]
}

/** An item in which nothing failed is kept as a whole. */
function keptOfItem(item: Item, { runId, state }: EarlierRun, again: DoneAgain): readonly KeptExecution[] {
  const { of } = item
  const ref = stepRefOf(of, item)
  const executions = (refs: readonly StepRef[]) =>
    refs.filter((one) => !again(one)).flatMap((one) => keptExecution(one, runId, state) ?? [])
  if (!isBlock(of)) return executions([ref])
  const settled = settledOf(of, state, item)
  const isDone = (step: { id: string }) => {
    const { status = 'failed' } = settledOf(step, state, item) ?? {}
    return status !== 'failed'
  }
  if (settled?.status !== 'succeeded' || !(settled.keptFrom !== undefined || of.steps.every(isDone))) {
    return executions(stepsOfItem(item))
  }
  const { keptFrom: from = runId } = settled
  const whole = { ...ref, from, outputs: outputsOfItem(of, state, item), ...guardsOf(stepsOfItem(item), state) }
  return withoutAgain(whole, of, again)
}

/**
 * The part of a kept execution that is not repeated. If some steps of an item are repeated, its other steps are kept.
 */
function withoutAgain(execution: KeptExecution, step: StepOrBlock, again: DoneAgain): readonly KeptExecution[] {
  if (!again(execution)) return [execution]
  return isBlock(step) && 'outputs' in execution && execution.index !== undefined && execution.block === undefined
    ? stepsWithin(execution, step).filter((one) => !again(one))
    : []
}

/** The executions of the steps of an item that was kept as a whole. */
function stepsWithin(
  item: Extract<KeptExecution, { outputs: unknown }>,
  { id, steps }: Block,
): readonly KeptExecution[] {
  const outputs = isJsonObject(item.outputs) ? item.outputs : {}
  return steps.flatMap((step) => {
    const own = outputs[step.id]
    if (own === undefined) return []
    const { guards = [], ...execution } = item
    const measured = guards.filter((guard) => guard.step === step.id)
    const kept = { ...execution, step: step.id, block: id, outputs: own }
    return [measured.length === 0 ? kept : { ...kept, guards: measured }]
  })
}

/** What to keep from an execution that began in this run, with the values that the guards inside it measured. */
function keptExecution(
  ref: StepRef,
  runId: string,
  state: RunState,
  within: readonly StepRef[] = [ref],
): KeptExecution | undefined {
  const known = state.steps.get(stepKey(ref))
  if (known?.settled?.status === 'succeeded') {
    const { outputs, keptFrom = runId } = known.settled
    if (outputs === undefined) return undefined
    return { ...ref, from: keptFrom, outputs, ...guardsOf(within, state) }
  }
  const child = known?.effects.get(CHILD_RUN)
  if (typeof child === 'string') return { ...ref, from: runId, child }
  if (!known || !continues(known)) return undefined
  return { ...ref, from: runId, effects: Object.fromEntries(known.effects) }
}

/** The values that the guards of executions measured. */
function guardsOf(refs: readonly StepRef[], { steps }: RunState): { readonly guards?: (StepRef & Measured)[] } {
  const guards = refs.flatMap((ref) => {
    const { outputs: _, ...measured } = steps.get(stepKey(ref))?.guard ?? {}
    return 'value' in measured ? [{ ...ref, ...measured }] : []
  })
  return guards.length > 0 ? { guards } : {}
}

/** A step, its items, and the steps within these. */
function allWithin(step: StepOrBlock, { steps }: RunState): readonly StepRef[] {
  const items = isLooping(step) ? loopItems(step, steps.get(step.id) ?? {}) : []
  return [{ step: step.id }, ...items.flatMap((item) => [stepRefOf(step, item), ...stepsOfItem(item)])]
}

/**
 * Whether the next try would continue from the effects. The run itself may have scheduled another attempt.
 */
function continues({ effects, settled, retryAt, keepsEffects: keeps, decision }: StepState): boolean {
  if (decision === 'again' || (retryAt !== undefined && !keeps)) return false
  return keepsEffects(settled?.error, announcedWrites(effects))
}

/** Once an execution has begun here, the effects kept for it belong to it, whatever its outcome. */
function isUsed(execution: KeptExecution, key: string, state: RunState): boolean {
  return 'effects' in execution && (state.steps.get(key)?.attempt ?? 0) > 0
}
