import { ApiError, isRefusal } from '../../adapter/api-error.ts'
import { operations } from '../../contract/operations.ts'
import type { StepContext } from '../../core/engine.ts'
import { AudienceError, failedError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import type { StepRun } from '../define-step.ts'
import { type MadeFor, madeFor } from '../made-for.ts'
import { noteMade } from '../note-made.ts'
import { outcomeUnknown, type Sender } from './outcome-unknown.ts'
import { type LookLimits, pollForOutcome } from './poll-for-outcome.ts'
import type { OutcomeLook, ReconciledId, Reconciler } from './reconciler.ts'
import { recordOnce } from './record-once.ts'
import { settle } from './settle.ts'

/** How long an effect may be invisible, in milliseconds; doubles with each round. */
const WINDOW_MS = 15_000

/** How often the answer may be lost before a person decides. */
const MOST_LOSSES = { lookUp: 4, onceMore: 2, never: 1 } as const

/** A write whose intent is recorded, and what its operation says about lost answers. */
export interface IntendedWrite extends Pick<StepRun, 'context' | 'services'> {
  readonly operation: ReconciledId
  /** The recorded input. */
  readonly input: JsonObject
  /** Prefix of the names of its records. */
  readonly name: string
  /** Whether this process recorded the intent. */
  readonly isFresh: boolean
  /** Its entry among the things that this state made. */
  readonly key: string | undefined
  readonly sentBy: Sender | undefined
  /** Whether a person has said that it was done. */
  readonly confirmed: boolean
  readonly look: OutcomeLook
  readonly lookedFor: string
  readonly refusal: ReturnType<Reconciler<ReconciledId>['refusal']>
  /** How long its effect may be invisible, in milliseconds. */
  readonly visibleWithinMs: number | undefined
  readonly maxWaitMs: number
  /** When an earlier run sent it and got no answer, in milliseconds since 1970. */
  readonly sentBeforeAt?: number | undefined
}

/** A write that is being sent. */
interface Sending extends IntendedWrite {
  readonly what: MadeFor | undefined
  /** The time on the steady clock. */
  readonly startedAt: number
}

/**
 * Sends the request of an intent, in rounds: each sends it if allowed, and looks for its effect if no answer proves
 * what became of it. Every step of a round is recorded, so that a process that takes over after a crash continues from
 * there.
 */
export async function sendIntended(
  write: IntendedWrite,
): Promise<{ readonly answer: JsonObject; readonly repeated: boolean }> {
  const { operation, input, name, key, context, services } = write
  const what = madeFor(operation, input)
  // The request may take effect even if no answer comes.
  if (what) await noteMade(what, { request: key }, write)
  const sending = { ...write, what, startedAt: services.clock.steady() }
  let maySend = write.isFresh
  let losses = 0
  for (let round = 0; ; round += 1) {
    const tail = round === 0 ? '' : String(round)
    const sent = await sendOnce(context, `${name}answer${tail}`, maySend, (signal) => request(sending, losses, signal))
    if (sent.state === 'answered') return written(sending, sent.answer, { isRepeated: round > 0 })
    if (sent.state === 'lost') losses += 1
    const search = searchAfter(sent, sending, { round, losses })
    const found = await context.once(`${name}found${tail}`, (signal) => findOut(search, sending, signal))
    if (found.state === 'done') return written(sending, found.answer, { isRepeated: losses > 1 })
    maySend = (await recordOnce(context, `${name}again${round + 1}`, async () => ({ operation }))).isFresh
  }
}

type Sent =
  | { readonly state: 'answered'; readonly answer: JsonObject }
  /** The service refused the request, but may have done it already. */
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
  const { operation, input, services } = sending
  try {
    const answer = await services.api.untyped.call(operation, input, { signal })
    return { state: 'answered', answer: isJsonObject(answer) ? answer : {} }
  } catch (error) {
    if (!(error instanceof ApiError) || error.request.outcome === 'unknown') throw error
    return await afterRejection(error, sending, losses, signal)
  }
}

/**
 * Decides why a request was not applied. The reason can be an earlier request that may have been applied. If that is
 * not the reason, throws the error.
 */
async function afterRejection(error: ApiError, sending: Sending, losses: number, signal: AbortSignal): Promise<Sent> {
  const { sentBeforeAt, maxWaitMs, key, refusal, services } = sending
  const { message: why, request: sent } = error
  const isRepeated = losses > 0 || sentBeforeAt !== undefined
  if (isRepeated && isRefusal(error) && refusal !== 'final') {
    if (losses > 0 || patienceMs(sending, losses) > 0) return { state: 'refused', why }
    const limits = { windowMs: 0, maxWaitMs, isApplied: true }
    const found = await lookUntil(limits, sending, { losses, refused: why }, signal)
    if (found.state === 'done') return { state: 'answered', answer: found.answer }
  }
  if (losses === 0 && key !== undefined) await services.made.forget(key)
  throw isRepeated && sent.outcome === 'rejected' && !isRefusal(error) ? refusedLater(error) : error
}

/**
 * A refusal that is not about the content, such as 403. It says nothing about the earlier request, so a retry continues
 * from there and does not start over: this error has no `request` (`keepsEffects`).
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
  { isRepeated }: { isRepeated: boolean },
): Promise<{ readonly answer: JsonObject; readonly repeated: boolean }> {
  const { what, key, operation } = sending
  if (what) await noteMade(what, { job: answer.id, id: idIn(answer, what), request: key }, sending)
  return { answer, repeated: isRepeated && operations[operation].repeat === 'onceMore' }
}

/** The id that an answer has. The job of a match may name a different id from the one that lists show (decision 71). */
function idIn({ id: jobId, segmentId, matchId, activationId }: JsonObject, { kind }: MadeFor): unknown {
  const isListed = kind !== 'match' || jobId === undefined
  return isListed ? { segment: segmentId, match: matchId, activation: activationId }[kind] : undefined
}

/** What is known about a round: how many answers were lost, and the text of a refusal. */
interface RoundFacts {
  readonly losses: number
  readonly refused: string | undefined
}

/** A search for the effect of requests without an answer. */
interface Search extends RoundFacts {
  readonly why: string
  /** How long the effect may be invisible. */
  readonly windowMs: number
  /** After this search, the step does not wait any longer. */
  readonly isLast: boolean
}

/**
 * How to search when a round has ended. The search takes longer after each round. If the request was refused and can be
 * sent again, the search ends at the latest when an earlier request can no longer explain the refusal.
 */
function searchAfter(
  sent: Exclude<Awaited<ReturnType<typeof sendOnce>>, { state: 'answered' }>,
  sending: Sending,
  { round, losses }: { round: number; losses: number },
): Search {
  const roundMs = (sending.visibleWithinMs ?? WINDOW_MS) * 2 ** round
  if (sent.state === 'lost') return { losses, refused: undefined, why: sent.why, windowMs: roundMs, isLast: false }
  const facts = { losses, refused: sent.why }
  const restMs = Math.max(0, patienceMs(sending, losses))
  return {
    ...facts,
    why: `the request ${sent.why}, and an earlier one got no answer`,
    windowMs: sendsAgain(sending, facts) ? Math.min(roundMs, restMs) : sending.maxWaitMs,
    isLast: losses > 0 && restMs <= roundMs,
  }
}

/** Looks for what became of the request; throws if the service will not show it in time. */
async function findOut(search: Search, sending: Sending, signal: AbortSignal) {
  const { why, windowMs, refused, isLast } = search
  const { operation, maxWaitMs, context, confirmed, lookedFor } = sending
  context.report({ kind: 'look', operation, why, lookedFor, upToMs: windowMs })
  const limits = { windowMs, maxWaitMs, isApplied: refused !== undefined || confirmed }
  const settled = await lookUntil(limits, sending, search, signal)
  // This error is not recorded, so that a retry looks again.
  if (settled.state === 'notDone' && refused !== undefined && isLast) throw tooSlow(sending, refused)
  return settled
}

function tooSlow({ operation, context: { stepKey }, lookedFor }: Sending, refused: string): AudienceError {
  return failedError(
    'job-timeout',
    `step "${stepKey}": an answer to ${operation} was lost, the service refuses a second request (${refused}), and does not show ${lookedFor}`,
    'if the earlier request started a job, that job continues; run again later, or give the step a longer timeout in await',
  )
}

/** Looks until it is known whether the request was done. Throws NeedsPersonError if that cannot be known. */
async function lookUntil(limits: LookLimits, sending: Sending, facts: RoundFacts, signal: AbortSignal) {
  const { operation, context, services, confirmed, look, lookedFor, sentBy } = sending
  const { clock } = services
  const conclusion = await pollForOutcome((how) => look(signal, how), limits, { clock, signal })
  const settled = settle(conclusion, {
    confirmed,
    refused: facts.refused,
    sendsAgain: sendsAgain(sending, facts),
  })
  if (settled.state !== 'unknown') return settled
  throw outcomeUnknown(context, { operation, sentBy, lookedFor, ...settled })
}

/** Whether the request is sent again if it turns out not to be done. */
function sendsAgain({ operation, refusal }: Sending, { losses, refused }: RoundFacts): boolean {
  return refused === undefined ? losses < MOST_LOSSES[operations[operation].repeat] : refusal === 'lookAndSendAgain'
}

/** How long an earlier request may still explain that the service refuses this one. */
function patienceMs({ maxWaitMs, sentBeforeAt = 0, startedAt, services }: Sending, losses: number): number {
  const { clock } = services
  return losses > 0 ? maxWaitMs - (clock.steady() - startedAt) : sentBeforeAt + maxWaitMs - clock.now()
}
