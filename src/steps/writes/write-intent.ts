import type { InputOf } from '../../contract/operations.ts'
import type { StepContext } from '../../core/engine.ts'
import type { JsonObject } from '../../core/json.ts'
import type { StepRun } from '../define-step.ts'
import { mark } from './fingerprint.ts'
import type { Sender } from './outcome-unknown.ts'
import type { OutcomeLook, ReconciledId, Reconciler } from './reconciler.ts'
import { reconcilers } from './reconcilers.ts'

export interface Write<Id extends ReconciledId> {
  readonly operation: Id
  readonly input: InputOf<Id> & JsonObject
  /** Prefix of its records' names, for steps that write more than one thing. */
  readonly name?: string
  /** How long work in progress may take, in milliseconds. */
  readonly maxWaitMs: number
  /**
   * When an earlier run sent it and got no answer, in milliseconds since 1970: as long as that request's job may take, a
   * refusal does not prove that this request is wrong (decision 144).
   */
  readonly sentBeforeAt?: number | undefined
  /** For an ensure step: it already has the claim of what the write makes, and accepts it whoever made it. */
  readonly isClaimed?: boolean
}

/** What is recorded before a write is sent. */
export interface Intent<Id extends ReconciledId> {
  readonly isFresh: boolean
  readonly value: {
    /** The input that was perhaps sent: in another run an expression may give another one. */
    readonly input: Write<Id>['input']
    readonly before: JsonObject
    /** Its entry among the things that this state made; undefined for intents of older versions. */
    readonly key?: string
    /** The attempt that recorded it; undefined for intents of older versions. */
    readonly attempt?: number
  }
}

/** Records the intent, or gives the one that was recorded before. */
export function intend<Id extends ReconciledId>(
  { operation, input, name = '' }: Write<Id>,
  { context, services }: Pick<StepRun, 'context' | 'services'>,
): Promise<Intent<Id>> {
  return mark(context, `${name}intent`, async (signal) => ({
    operation,
    input,
    before: await reconcilerOf(operation).before(input, { ...services, signal }),
    key: `${context.runId} ${context.stepKey} ${name}`.trimEnd(),
    attempt: context.attempt,
  }))
}

/** The attempt that recorded an intent; undefined for intents of older versions. */
export function senderOf({ value: { key, attempt } }: Intent<ReconciledId>): Sender | undefined {
  const [runId] = key?.split(' ') ?? []
  return runId === undefined ? undefined : { runId, attempt }
}

/** Looks for what a write did, from its intent on. */
export function lookFor<Id extends ReconciledId>(
  { operation, isClaimed: takesOthers = false }: Write<Id>,
  { value: { input: request, before, key }, isFresh }: Intent<Id>,
  { context, services }: Pick<StepRun, 'context' | 'services'>,
): OutcomeLook {
  const confirmed = isConfirmed(context, isFresh)
  const reconciler = reconcilerOf(operation)
  return async (signal, { jobId, isWide = false } = {}) => {
    const lost = { request, before, key, confirmed, takesOthers, jobId }
    const deps = { ...services, signal }
    return isWide
      ? ((await reconciler.lookWider?.(lost, deps)) ?? { state: 'notVisible' })
      : reconciler.look(lost, deps)
  }
}

/** Whether a person has said that a write of an earlier attempt was done. */
export function isConfirmed({ decision }: StepContext, isFresh: boolean): boolean {
  return decision === 'done' && !isFresh
}

export function reconcilerOf<Id extends ReconciledId>(operation: Id): Reconciler<Id> {
  return reconcilers[operation]
}
