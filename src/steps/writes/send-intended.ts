import { ApiError, isRefusal } from '../../adapter/api-error.ts'
import { operations } from '../../contract/operations.ts'
import type { StepContext } from '../../core/engine.ts'
import { AudienceError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import type { StepRun } from '../define-step.ts'
import { type MadeFor, madeFor } from '../made-for.ts'
import { noteMade } from '../note-made.ts'
import { mark } from './fingerprint.ts'
import { outcomeUnknown, type Sender } from './outcome-unknown.ts'
import { type LookLimits, pollForOutcome } from './poll-for-outcome.ts'
import type { OutcomeLook, ReconciledId, Reconciler } from './reconciler.ts'
import { settle } from './settle.ts'
import { type Intent, isConfirmed, lookFor, reconcilerOf, senderOf, type Write } from './write-intent.ts'

/** How long an effect may be invisible, in milliseconds; doubles with each round. */
const WINDOW_MS = 15_000

/** How often the answer may be lost before a person decides. */
const MOST_LOSSES = { lookUp: 4, onceMore: 2, never: 1 } as const

/**
 * Sends the request of an intent, in rounds: each sends it if it may, and looks for its effect if no answer proves what
 * became of it. Every step of a round is recorded, so that a process that comes after a crash goes on from there.
 */
export async function sendIntended<Id extends ReconciledId>(
  write: Write<Id>,
  intent: Intent<Id>,
  step: Pick<StepRun, 'context' | 'services'>,
): Promise<{ readonly answer: JsonObject; readonly repeated: boolean }> {
  const { operation, name = '' } = write
  const { context } = step
  const { input, key } = intent.value
  const what = madeFor(operation, input)
  // It may be done although no answer comes.
  if (what) await noteMade(what, { request: key }, step)
  const sending = sendingOf(write, intent, what, step)
  let maySend = intent.isFresh
  let losses = 0
  for (let round = 0; ; round += 1) {
    const tail = round === 0 ? '' : String(round)
    const sent = await sendOnce(context, `${name}answer${tail}`, maySend, (signal) => request(sending, losses, signal))
    if (sent.state === 'answered') return written(sending, sent.answer, { isRepeated: round > 0 })
    if (sent.state === 'lost') losses += 1
    const search = searchAfter(sent, sending, { round, losses })
    const found = await context.once(`${name}found${tail}`, (signal) => findOut(search, sending, signal))
    if (found.state === 'done') return written(sending, found.answer, { isRepeated: losses > 1 })
    maySend = (await mark(context, `${name}again${round + 1}`, async () => ({ operation }))).isFresh
  }
}

/** A write that is being sent, and what its operation says about lost answers. */
interface Sending extends Pick<StepRun, 'context' | 'services'> {
  readonly write: Pick<Write<ReconciledId>, 'operation' | 'maxWaitMs' | 'sentBeforeAt'>
  readonly input: JsonObject
  /** Its entry among the things that this state made. */
  readonly key: string | undefined
  readonly what: MadeFor | undefined
  readonly sentBy: Sender | undefined
  /** A person has said that it was done. */
  readonly confirmed: boolean
  readonly look: OutcomeLook
  readonly lookedFor: string
  readonly refusal: ReturnType<Reconciler<ReconciledId>['refusal']>
  readonly visibleWithinMs: number
  /** By the steady clock. */
  readonly startedAt: number
}

function sendingOf<Id extends ReconciledId>(
  write: Write<Id>,
  intent: Intent<Id>,
  what: MadeFor | undefined,
  { context, services }: Pick<StepRun, 'context' | 'services'>,
): Sending {
  const { input, before, key } = intent.value
  const reconciler = reconcilerOf(write.operation)
  return {
    ...{ context, services, write, input, key, what },
    sentBy: senderOf(intent),
    confirmed: isConfirmed(context, intent.isFresh),
    look: lookFor(write, intent, { context, services }),
    lookedFor: reconciler.lookedFor(input),
    refusal: reconciler.refusal(before),
    visibleWithinMs: reconciler.visibleWithinMs ?? WINDOW_MS,
    startedAt: services.clock.steady(),
  }
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

/** Sends the request, and decides what its answer means. */
async function request(sending: Sending, losses: number, signal: AbortSignal): Promise<Sent> {
  const { write, input, services } = sending
  try {
    const answer = await services.api.untyped.call(write.operation, input, { signal })
    return { state: 'answered', answer: isJsonObject(answer) ? answer : {} }
  } catch (error) {
    if (!(error instanceof ApiError) || error.request.outcome === 'unknown') throw error
    return await afterRejection(error, sending, losses, signal)
  }
}

/**
 * Decides what a request means that was not applied: an earlier one, which may have been applied, can be the reason.
 * Throws the error if it is not.
 */
async function afterRejection(error: ApiError, sending: Sending, losses: number, signal: AbortSignal): Promise<Sent> {
  const { write, key, refusal, services } = sending
  const { message: why, request: sent } = error
  const isRepeated = losses > 0 || write.sentBeforeAt !== undefined
  if (isRepeated && isRefusal(error) && refusal !== 'final') {
    if (losses > 0 || patienceMs(sending, losses) > 0) return { state: 'refused', why }
    const limits = { windowMs: 0, maxWaitMs: write.maxWaitMs, isApplied: true }
    const found = await lookUntil(limits, sending, { losses, refused: why }, signal)
    if (found.state === 'done') return { state: 'answered', answer: found.answer }
  }
  if (losses === 0 && key !== undefined) await services.made.forget(key)
  throw isRepeated && sent.outcome === 'rejected' && !isRefusal(error) ? refusedLater(error) : error
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

/** Notes what the request made. */
async function written(
  sending: Sending,
  answer: JsonObject,
  { isRepeated }: { readonly isRepeated: boolean },
): Promise<{ readonly answer: JsonObject; readonly repeated: boolean }> {
  const { what, key, write } = sending
  if (what) await noteMade(what, { job: answer.id, id: idIn(answer, what), request: key }, sending)
  return { answer, repeated: isRepeated && operations[write.operation].repeat === 'onceMore' }
}

/** The id that an answer has. The job of a match may name another id than lists show (decision 71). */
function idIn({ id: jobId, segmentId, matchId, activationId }: JsonObject, { kind }: MadeFor): unknown {
  const isListed = kind !== 'match' || jobId === undefined
  return isListed ? { segment: segmentId, match: matchId, activation: activationId }[kind] : undefined
}

/** What is known of a round: how many answers were lost, and the text of a refusal. */
interface RoundFacts {
  readonly losses: number
  readonly refused: string | undefined
}

/** A look for the effect of requests without an answer. */
interface Search extends RoundFacts {
  readonly why: string
  /** How long the effect may be invisible. */
  readonly windowMs: number
  /** After it, the step waits no longer. */
  readonly isLast: boolean
}

/** How long to look after a round: with each round longer, and never longer than a refusal can be explained. */
function searchAfter(
  sent: Exclude<Awaited<ReturnType<typeof sendOnce>>, { readonly state: 'answered' }>,
  sending: Sending,
  { round, losses }: { readonly round: number; readonly losses: number },
): Search {
  const roundMs = sending.visibleWithinMs * 2 ** round
  if (sent.state === 'lost') return { losses, refused: undefined, why: sent.why, windowMs: roundMs, isLast: false }
  const facts = { losses, refused: sent.why }
  const restMs = Math.max(0, patienceMs(sending, losses))
  return {
    ...facts,
    why: `the request ${sent.why}, and an earlier one got no answer`,
    windowMs: sendsAgain(sending, facts) ? Math.min(roundMs, restMs) : sending.write.maxWaitMs,
    isLast: losses > 0 && restMs <= roundMs,
  }
}

/** Looks for what became of the request; throws if the service will not show it in time. */
async function findOut(search: Search, sending: Sending, signal: AbortSignal) {
  const { why, windowMs, refused, isLast } = search
  const { write, context, confirmed, lookedFor } = sending
  const { operation, maxWaitMs } = write
  context.report({ kind: 'look', operation, why, lookedFor, upToMs: windowMs })
  const limits = { windowMs, maxWaitMs, isApplied: refused !== undefined || confirmed }
  const settled = await lookUntil(limits, sending, search, signal)
  // It is not recorded, so that a retry looks again.
  if (settled.state === 'notDone' && refused !== undefined && isLast) throw tooSlow(write, context, lookedFor, refused)
  return settled
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

/** Looks until it is known whether the request was done. Throws NeedsPersonError if that cannot be known. */
async function lookUntil(limits: LookLimits, sending: Sending, facts: RoundFacts, signal: AbortSignal) {
  const { write, context, services, confirmed, look, lookedFor, sentBy } = sending
  const { clock } = services
  const conclusion = await pollForOutcome((how) => look(signal, how), limits, { clock, signal })
  const settled = settle(conclusion, {
    ...{ confirmed, refused: facts.refused },
    sendsAgain: sendsAgain(sending, facts),
  })
  if (settled.state !== 'unknown') return settled
  throw outcomeUnknown(context, { operation: write.operation, sentBy, lookedFor, ...settled })
}

/** Whether the request is sent again if it turns out not to be done. */
function sendsAgain({ write, refusal }: Sending, { losses, refused }: RoundFacts): boolean {
  return refused === undefined
    ? losses < MOST_LOSSES[operations[write.operation].repeat]
    : refusal === 'lookAndSendAgain'
}

/** How long an earlier request may still explain that the service refuses this one. */
function patienceMs({ write: { maxWaitMs, sentBeforeAt = 0 }, startedAt, services }: Sending, losses: number): number {
  const { clock } = services
  return losses > 0 ? maxWaitMs - (clock.steady() - startedAt) : sentBeforeAt + maxWaitMs - clock.now()
}
