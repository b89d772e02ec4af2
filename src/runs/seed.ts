import { didYouMean } from '../core/did-you-mean.ts'
import { CHILD_RUN } from '../core/engine.ts'
import { AudienceError } from '../core/errors.ts'
import type { Pipeline, Step } from '../core/pipeline.ts'
import { type KeptExecution, type Measured, type Seed, type StepRef, stepKey } from '../core/run.ts'
import { announcedWrites } from './announced-writes.ts'
import { keepsEffects } from './keeps-effects.ts'
import type { RunState, StepState } from './run-state.ts'

/** A run that is repeated. */
interface EarlierRun {
  readonly runId: string
  readonly state: RunState
}

/**
 * What a rerun keeps of an earlier run: each successful step execution of steps that the pipeline still has, except
 * `from` and all steps that need it, directly or through others; and for unsuccessful executions, what must not be done
 * twice. What the earlier run itself kept but did not reach is kept too. Throws an AudienceError of the kind `usage`
 * for an unknown step.
 */
export function seedOf(pipeline: Pipeline, earlier: EarlierRun, from?: string): Seed {
  const again = doneAgain(pipeline, from)
  return {
    runId: earlier.runId,
    kept: pipeline.steps.filter(({ id }) => !again.has(id)).flatMap((step) => keptOf(step, earlier)),
  }
}

function keptOf({ id }: Step, { runId, state }: EarlierRun): readonly KeptExecution[] {
  const whole = keptExecution({ step: id }, runId, state)
  if (whole && 'outputs' in whole) return [whole]
  const unused = [...state.kept].filter(([key, execution]) => execution.step === id && !isUsed(execution, key, state))
  const kept = new Map(unused)
  if (whole) kept.set(stepKey(whole), whole)
  for (const [index, item] of (state.steps.get(id)?.items ?? []).entries()) {
    const execution = keptExecution({ step: id, index }, runId, state)
    if (execution) kept.set(stepKey(execution), { ...execution, item })
  }
  return [...kept.values()]
}

/** What to keep of an execution that began in this run. */
function keptExecution(ref: StepRef, runId: string, state: RunState): KeptExecution | undefined {
  const known = state.steps.get(stepKey(ref))
  if (known?.settled?.status === 'succeeded') {
    const { outputs, keptFrom = runId } = known.settled
    if (outputs === undefined) return undefined
    const guards = guardsOf(ref, state)
    return { ...ref, from: keptFrom, outputs, ...(guards.length > 0 && { guards }) }
  }
  const child = known?.effects.get(CHILD_RUN)
  if (typeof child === 'string') return { ...ref, from: runId, child }
  if (!known || !continues(known)) return undefined
  return { ...ref, from: runId, effects: Object.fromEntries(known.effects) }
}

/** What the guard of an execution measured, and those of its items. */
function guardsOf(ref: StepRef, { steps }: RunState): (StepRef & Measured)[] {
  const items = steps.get(stepKey(ref))?.items ?? []
  return [ref, ...items.map((_, index) => ({ step: ref.step, index }))].flatMap((one) => {
    const { outputs: _, ...measured } = steps.get(stepKey(one))?.guard ?? {}
    return 'value' in measured ? [{ ...one, ...measured }] : []
  })
}

/**
 * Whether the next try would continue from the effects. This run itself may have scheduled another attempt.
 */
function continues({ effects, settled, retryAt, keepsEffects: keeps, decision }: StepState): boolean {
  if (decision === 'again' || (retryAt !== undefined && !keeps)) return false
  return keepsEffects(settled?.error, announcedWrites(effects))
}

/** Once an execution has begun here, the effects kept for it belong to it, whatever its outcome. */
function isUsed(execution: KeptExecution, key: string, state: RunState): boolean {
  return 'effects' in execution && (state.steps.get(key)?.attempt ?? 0) > 0
}

/** The step `from` and all steps that need it. */
function doneAgain(pipeline: Pipeline, from: string | undefined): ReadonlySet<string> {
  if (from === undefined) return new Set()
  const ids = pipeline.steps.map(({ id }) => id)
  if (!ids.includes(from)) {
    const hint = didYouMean(from, ids)
    throw new AudienceError({
      code: 'unknown-step',
      kind: 'usage',
      message: `pipeline ${pipeline.name} has no step "${from}"`,
      ...(hint !== undefined && { hint }),
    })
  }
  const again = new Set([from])
  // In document order a step may precede a step that it needs, so repeat until nothing is added.
  for (let size = -1; size !== again.size; ) {
    size = again.size
    for (const { id, needs } of pipeline.steps) if (needs.some((need) => again.has(need))) again.add(id)
  }
  return again
}
