import type { InputOf } from '../../contract/operations.ts'
import type { StepContext } from '../../core/engine.ts'
import type { JsonObject } from '../../core/json.ts'
import type { StepRun } from '../define-step.ts'
import type { StartedJob } from '../started-job.ts'
import { claimedThings, withClaim } from '../with-claim.ts'
import type { Sender } from './outcome-unknown.ts'
import type { OutcomeLook, ReconciledId, Reconciler } from './reconciler.ts'
import { reconcilers } from './reconcilers.ts'
import { recordOnce } from './record-once.ts'
import { type IntendedWrite, sendIntended } from './send-intended.ts'

export interface Write<Id extends ReconciledId> {
  readonly operation: Id
  readonly input: InputOf<Id> & JsonObject
  /** Prefix of its records' names, for steps that write more than one thing. */
  readonly name?: string
  /** How long work in progress may take, in milliseconds. */
  readonly maxWaitMs: number
  /**
   * When an earlier run sent it and got no answer, in milliseconds since 1970. After that, for as long as that
   * request's job may take, a refusal does not prove that this request is wrong (decision 144).
   */
  readonly sentBeforeAt?: number | undefined
  /** For an ensure step: it already has the claim on what the write makes, and accepts it no matter who made it. */
  readonly isClaimed?: boolean
}

/** What was sent, in the form that `awaitJob` takes. */
export interface Written extends StartedJob {
  /** Whether the write may have been done twice. That is harmless with these operations, but worth reporting. */
  readonly repeated: boolean
}

/**
 * Sends a write that must not be sent twice blindly. Records the intent, then the answer. If there is an intent without
 * an answer, in this process or after a crash, the operation's reconciler finds out what happened. Sends the write
 * again only if it is known that it was not done, in the rounds that the contract's `repeat` allows. Throws
 * NeedsPersonError when the outcome cannot be found out, and any error that the request itself threw.
 *
 * From the check before the request until the outcome is noted, no other step sends a request that may be mistaken for
 * it (decision 154).
 */
export async function sendWrite<Id extends ReconciledId>(
  write: Write<Id>,
  step: Pick<StepRun, 'context' | 'services'>,
): Promise<Written> {
  const { operation, name = '', isClaimed = false } = write
  const { context } = step
  const { thing, likes } = claimedThings(operation, write.input)
  const own = isClaimed ? undefined : thing
  let isFresh = false
  const send = async () => {
    const intent = await intend(write, step)
    isFresh = intent.isFresh
    return sendIntended(intended(write, intent, step))
  }
  const sendAlone = () =>
    withClaim(own, step, () => withClaim(likes, step, send, { inDoubt: 'release' }), { inDoubt: 'keep' })
  // The result is recorded, so that a run that continues after it was parked does not ask for the claims again.
  const isAlone = own === undefined && likes === undefined
  const settled = isAlone ? await send() : await context.once(`${name}written`, sendAlone)
  const { value } = await intend(write, step)
  const { input, before } = value
  const intent = { value, isFresh }
  return { operation, input, name, before, look: lookFor(write, intent, step), sentBy: senderOf(intent), ...settled }
}

/** The outputs of the step that sent a write. */
export function withRepeated(outputs: JsonObject, { repeated }: Written): JsonObject {
  return repeated ? { ...outputs, repeated } : outputs
}

/** What is recorded before a write is sent. */
interface Intent<Id extends ReconciledId> {
  readonly isFresh: boolean
  readonly value: {
    /** The input that may have been sent. In another run, an expression may yield a different input. */
    readonly input: Write<Id>['input']
    readonly before: JsonObject
    /** Its entry among the things that this state made; undefined for intents of older versions. */
    readonly key?: string
    /** The attempt that recorded it; undefined for intents of older versions. */
    readonly attempt?: number
  }
}

/** Records the intent, or returns the one that was recorded before. */
function intend<Id extends ReconciledId>(
  { operation, input, name = '' }: Write<Id>,
  { context, services }: Pick<StepRun, 'context' | 'services'>,
): Promise<Intent<Id>> {
  return recordOnce(context, `${name}intent`, async (signal) => ({
    operation,
    input,
    before: await reconcilerOf(operation).before(input, { ...services, signal }),
    key: `${context.runId} ${context.stepKey} ${name}`.trimEnd(),
    attempt: context.attempt,
  }))
}

/** The attempt that recorded an intent; undefined for intents of older versions. */
function senderOf({ value: { key, attempt } }: Intent<ReconciledId>): Sender | undefined {
  const [runId] = key?.split(' ') ?? []
  return runId === undefined ? undefined : { runId, attempt }
}

/** Looks for what a write did, starting from its intent. */
function lookFor<Id extends ReconciledId>(
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
function isConfirmed({ decision }: StepContext, isFresh: boolean): boolean {
  return decision === 'done' && !isFresh
}

function reconcilerOf<Id extends ReconciledId>(operation: Id): Reconciler<Id> {
  return reconcilers[operation]
}

/** A write and its intent, with what its operation says about lost answers. */
function intended<Id extends ReconciledId>(
  write: Write<Id>,
  intent: Intent<Id>,
  { context, services }: Pick<StepRun, 'context' | 'services'>,
): IntendedWrite {
  const { name = '' } = write
  const { isFresh, value } = intent
  const { input, before, key } = value
  const { lookedFor, refusal, visibleWithinMs } = reconcilerOf(write.operation)
  return {
    ...write,
    context,
    services,
    name,
    input,
    key,
    isFresh,
    visibleWithinMs,
    sentBy: senderOf(intent),
    confirmed: isConfirmed(context, isFresh),
    look: lookFor(write, intent, { context, services }),
    lookedFor: lookedFor(input),
    refusal: refusal(before),
  }
}
