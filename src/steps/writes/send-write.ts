import { ApiError, isRefusal } from '../../adapter/api-error.ts'
import { type InputOf, operations } from '../../contract/operations.ts'
import type { StepContext } from '../../core/engine.ts'
import { AudienceError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { claimedThings } from '../claimed-things.ts'
import type { StepRun } from '../define-step.ts'
import { type MadeFor, madeFor } from '../made-for.ts'
import { noteMade } from '../note-made.ts'
import { withClaim } from '../with-claim.ts'
import { mark } from './fingerprint.ts'
import { outcomeUnknown, type Sender } from './outcome-unknown.ts'
import { type LookLimits, pollForOutcome } from './poll-for-outcome.ts'
import type { OutcomeLook, ReconciledId, Reconciler } from './reconciler.ts'
import { reconcilers } from './reconcilers.ts'
import { settle } from './settle.ts'

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

/** What was sent, in the form that `awaitJob` takes. */
export interface Written {
  readonly operation: ReconciledId
  readonly input: JsonObject
  readonly name: string
  /** The answer, or the part of it that was found. */
  readonly answer: JsonObject
  /** What its reconciler read before it was sent. */
  readonly before: JsonObject
  readonly look: OutcomeLook
  readonly sentBy: Sender | undefined
  /** It may have been done twice. That is harmless with these operations, but worth reporting. */
  readonly repeated: boolean
}

/** How long an effect may be invisible, in milliseconds; doubles with each round. */
const WINDOW_MS = 15_000

/** How often the answer may be lost before a person decides. */
const MOST_LOSSES = { lookUp: 4, onceMore: 2, never: 1 } as const

/**
 * Sends a write that must not be sent twice blindly. Records the intent, then the answer. If there is an intent without
 * an answer, in this process or after a crash, the operation's reconciler finds out what happened. Sends again only if
 * the request was found not to be done, in the rounds that the contract's `repeat` allows. Throws NeedsPersonError when
 * the outcome cannot be found out, and any error that the request itself threw.
 *
 * From the look before until the outcome is noted, no other step sends a request that may be mistaken for it (decision
 * 154).
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
    return sendIntended(write, intent, step)
  }
  const sendAlone = () =>
    withClaim(own, step, () => withClaim(likes, step, send, { inDoubt: 'release' }), { inDoubt: 'keep' })
  // It is recorded, so that a run that goes on after it was parked does not ask for the claims again.
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

/** Looks for what a write did, from its intent on. */
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

/** What is recorded before a write is sent. */
interface Intent<Id extends ReconciledId> {
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

function intend<Id extends ReconciledId>(
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

function senderOf({ value: { key, attempt } }: Intent<ReconciledId>): Sender | undefined {
  const [runId] = key?.split(' ') ?? []
  return runId === undefined ? undefined : { runId, attempt }
}

async function sendIntended<Id extends ReconciledId>(
  write: Write<Id>,
  intent: Intent<Id>,
  step: Pick<StepRun, 'context' | 'services'>,
): Promise<{ readonly answer: JsonObject; readonly repeated: boolean }> {
  const { operation, name = '', maxWaitMs, sentBeforeAt } = write
  const { context, services } = step
  const { api, made } = services
  const reconciler = reconcilerOf(operation)
  const { repeat } = operations[operation]
  const { before, input, key } = intent.value
  const confirmed = isConfirmed(context, intent.isFresh)
  const look = lookFor(write, intent, step)
  const what = madeFor(operation, input)
  if (what) await noteMade(what, { request: key }, step)
  const written = async (answer: JsonObject, repeated: boolean) => {
    if (what) await noteMade(what, { job: answer.id, id: idIn(answer, what), request: key }, step)
    return { answer, repeated: repeated && repeat === 'onceMore' }
  }
  const refusal = reconciler.refusal(before)
  const lookedFor = reconciler.lookedFor(input)
  const { clock } = services
  const startedAt = clock.steady()
  let maySend = intent.isFresh
  let losses = 0
  /** How long an earlier request may still explain that the service refuses this one. */
  const patienceMs = () =>
    losses > 0 ? maxWaitMs - (clock.steady() - startedAt) : (sentBeforeAt ?? 0) + maxWaitMs - clock.now()
  const lookUntil = async (signal: AbortSignal, limits: LookLimits, refused: string | undefined) => {
    const conclusion = await pollForOutcome((how) => look(signal, how), limits, { clock, signal })
    const settled = settle(conclusion, { confirmed, sendsAgain: sendsAgainAfter(refused), refused })
    if (settled.state !== 'unknown') return settled
    throw outcomeUnknown(context, { operation, sentBy: senderOf(intent), lookedFor, ...settled })
  }
  const sendsAgainAfter = (refused: string | undefined) =>
    refused === undefined ? losses < MOST_LOSSES[repeat] : refusal === 'lookAndSendAgain'

  for (let round = 0; ; round += 1) {
    const tail = round === 0 ? '' : String(round)
    const isRepeated = losses > 0 || sentBeforeAt !== undefined
    const sent = await sendOnce(context, `${name}answer${tail}`, maySend, async (signal) => {
      try {
        const answer = await api.untyped.call(operation, input, { signal })
        return { state: 'answered', answer: isJsonObject(answer) ? answer : {} }
      } catch (error) {
        if (!(error instanceof ApiError) || error.request.outcome === 'unknown') throw error
        const { message: why, request } = error
        if (isRepeated && isRefusal(error) && refusal !== 'final') {
          if (losses > 0 || patienceMs() > 0) return { state: 'refused', why }
          const found = await lookUntil(signal, { windowMs: 0, maxWaitMs, isApplied: true }, why)
          if (found.state === 'done') return { state: 'answered', answer: found.answer }
        }
        if (losses === 0 && key !== undefined) await made.forget(key)
        throw isRepeated && request.outcome === 'rejected' && !isRefusal(error) ? refusedLater(error) : error
      }
    })
    if (sent.state === 'answered') return written(sent.answer, round > 0)
    if (sent.state === 'lost') losses += 1
    const refused = sent.state === 'refused' ? sent.why : undefined
    const roundMs = (reconciler.visibleWithinMs ?? WINDOW_MS) * 2 ** round
    const restMs = refused === undefined ? Number.POSITIVE_INFINITY : Math.max(0, patienceMs())
    const windowMs = sendsAgainAfter(refused) ? Math.min(roundMs, restMs) : refused === undefined ? roundMs : maxWaitMs

    const found = await context.once(`${name}found${tail}`, async (signal) => {
      const why = sent.state === 'lost' ? sent.why : `the request ${sent.why}, and an earlier one got no answer`
      context.report({ kind: 'look', operation, why, lookedFor, upToMs: windowMs })
      const limits = { windowMs, maxWaitMs, isApplied: refused !== undefined || confirmed }
      const settled = await lookUntil(signal, limits, refused)
      // It is not recorded, so that a retry looks again.
      if (settled.state === 'notDone' && refused !== undefined && losses > 0 && restMs <= roundMs)
        throw tooSlow(write, context, lookedFor, refused)
      return settled
    })
    if (found.state === 'done') return written(found.answer, losses > 1)
    maySend = (await mark(context, `${name}again${round + 1}`, async () => ({ operation }))).isFresh
  }
}

/** The id that an answer has. The job of a match may name another id than lists show (decision 71). */
function idIn({ id: jobId, segmentId, matchId, activationId }: JsonObject, { kind }: MadeFor): unknown {
  const isListed = kind !== 'match' || jobId === undefined
  return isListed ? { segment: segmentId, match: matchId, activation: activationId }[kind] : undefined
}

type Sent =
  | { readonly state: 'answered'; readonly answer: JsonObject }
  /** Refused by a service that may have done it already. */
  | { readonly state: 'refused'; readonly why: string }

/** Sends the request if allowed, and records the outcome; `lost` when the outcome is unknown. */
async function sendOnce(
  context: StepContext,
  name: string,
  maySend: boolean,
  send: (signal: AbortSignal) => Promise<Sent>,
): Promise<Sent | { readonly state: 'lost'; readonly why: string }> {
  try {
    return await context.once(name, (signal) => (maySend ? send(signal) : Promise.reject(new AnswerLost())), {
      untilAnswered: true,
    })
  } catch (error) {
    if (context.signal.aborted) throw error
    const isLost = error instanceof AnswerLost || (error instanceof ApiError && error.request.outcome === 'unknown')
    if (isLost) return { state: 'lost', why: error.message }
    throw error
  }
}

/** An earlier process sent the request, or was about to, and recorded no answer. */
class AnswerLost extends Error {
  override readonly name = 'AnswerLost'
  override readonly message = 'it is not known whether it was sent before'
}

/**
 * A refusal that is not about the content, such as 403. It says nothing of the earlier request, so a retry goes on from
 * there and does not begin anew: this error has no `request` (`keepsEffects`).
 */
function refusedLater(cause: ApiError): AudienceError {
  const { code, kind, message, hint } = cause
  return new AudienceError({
    code,
    kind,
    message: `${message}; an earlier request got no answer, so whether it took effect is not known`,
    hint: `${hint}; \`audience runs retry\` then looks for the earlier request first`,
    cause,
  })
}

function tooSlow(
  write: { operation: ReconciledId },
  { stepKey }: StepContext,
  lookedFor: string,
  refused: string,
): AudienceError {
  return new AudienceError({
    code: 'job-timeout',
    kind: 'failed',
    message: `step "${stepKey}": an answer to ${write.operation} was lost, the service refuses a second one (${refused}), and does not show ${lookedFor}`,
    hint: 'a job that it started goes on; run again later, or give the step a longer timeout in await',
  })
}
