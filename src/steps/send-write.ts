import { ApiError } from '../adapter/api-error.ts'
import type { RepeatRule } from '../contract/operation.ts'
import { type InputOf, operationOf } from '../contract/operations.ts'
import type { StepContext } from '../core/engine.ts'
import { AudienceError } from '../core/errors.ts'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import { mark } from './mark.ts'
import { type Conclusion, lookUntilKnown } from './reconcile/look-until-known.ts'
import { outcomeUnknown } from './reconcile/outcome-unknown.ts'
import type { FoundAnswer, ReconciledId, Reconciler } from './reconcile/reconciler.ts'
import { reconcilers } from './reconcile/reconcilers.ts'
import type { StepServices } from './runnable-step-type.ts'

export interface Write<Id extends ReconciledId> {
  readonly operation: Id
  readonly input: InputOf<Id>
  /** Stands before the names of its records, where a step writes more than one thing. */
  readonly name?: string
  /** How long something that is under way may take, in milliseconds. */
  readonly patienceMs: number
  /** To be told already the first time that it is there, or being done, is as good as an answer. */
  readonly acceptsExisting?: boolean
}

export interface Written {
  /** The answer, or as much of it as was found. */
  readonly answer: JsonObject
  /** It may have been done twice; harmless with these operations, but worth saying. */
  readonly repeated: boolean
}

/** How long an effect may be invisible, in milliseconds; from round to round twice as long. */
const WINDOW_MS = 15_000

/** How often the answer may be lost before a person has to decide. */
const MOST_LOSSES = { lookUp: 4, onceMore: 2, never: 1, always: 1, contentAddressed: 1 } as const satisfies Record<
  RepeatRule,
  number
>

/**
 * Sends a write that must not be sent twice blindly. It records the intent, then the answer; where there is an intent
 * without an answer, in this process or after a crash, the operation's reconciler finds out, and only what is found not
 * to be done is sent again, in the rounds that the contract's `repeat` allows. Throws NeedsPersonError where nothing can
 * tell, and what the request itself threw.
 */
export async function sendWrite<Id extends ReconciledId>(
  write: Write<Id>,
  context: StepContext,
  services: StepServices,
): Promise<Written> {
  const { operation, input, name = '', patienceMs, acceptsExisting = false } = write
  const { api } = services
  const reconciler: Reconciler<Id> = reconcilers[operation]
  const { repeat } = operationOf(operation)
  const intent = await mark(context, `${name}intent`, async (signal) => ({
    operation,
    input: input as unknown as JsonObject,
    before: await reconciler.before(input, { api, signal }),
  }))
  const { before } = intent.value
  const confirmed = context.decision === 'done' && !intent.isFresh
  const lost = { request: input, before, confirmed }
  let maySend = intent.isFresh
  let losses = 0

  for (let round = 0; ; round += 1) {
    const tail = round === 0 ? '' : String(round)
    const sent = await sendOnce(context, `${name}answer${tail}`, maySend, async (signal) => {
      try {
        const answer = await api.untyped.call(operation, input, { signal })
        return { state: 'answered', answer: isJsonObject(answer) ? answer : {} }
      } catch (error) {
        const mayProve = round > 0 || acceptsExisting
        if (mayProve && error instanceof ApiError && reconciler.provesApplied?.(error, before))
          return { state: 'applied' }
        throw error
      }
    })
    if (sent.state === 'answered') return { answer: sent.answer, repeated: round > 0 && repeat === 'onceMore' }
    if (sent.state === 'lost') losses += 1
    const isApplied = sent.state === 'applied'
    const windowMs = WINDOW_MS * 2 ** round
    if (isApplied && windowMs > patienceMs) throw tooSlow(write, context, reconciler.lookedFor(input))

    const found = await context.once(`${name}found${tail}`, async (signal) => {
      const look = () => reconciler.look(lost, { api, signal })
      const conclusion = await lookUntilKnown(look, { windowMs, patienceMs, isApplied }, { ...services, signal })
      const settled = settle(conclusion, { confirmed, mayResend: isApplied || losses < MOST_LOSSES[repeat] })
      if (settled.state !== 'unknown') return settled
      const lookedFor = reconciler.lookedFor(input)
      throw outcomeUnknown(context, { operation, lookedFor, found: settled.found, cause: settled.cause })
    })
    if (found.state === 'done') return { answer: found.answer, repeated: losses > 1 && repeat === 'onceMore' }
    maySend = (await mark(context, `${name}again${round + 1}`, async () => ({ operation }))).isFresh
  }
}

type Sent = { readonly state: 'answered'; readonly answer: JsonObject } | { readonly state: 'applied' }

/** Sends, if it may, and records what came of it; `lost` when that is not known. */
async function sendOnce(
  context: StepContext,
  name: string,
  maySend: boolean,
  send: (signal: AbortSignal) => Promise<Sent>,
): Promise<Sent | { readonly state: 'lost' }> {
  try {
    return await context.once(name, (signal) => (maySend ? send(signal) : Promise.reject(new AnswerLost())), {
      untilAnswered: true,
    })
  } catch (error) {
    if (context.signal.aborted) throw error
    const isLost = error instanceof AnswerLost || (error instanceof ApiError && error.request.outcome === 'unknown')
    if (isLost) return { state: 'lost' }
    throw error
  }
}

/** An earlier process sent it, or was about to, and recorded no answer. */
class AnswerLost extends Error {
  override readonly name = 'AnswerLost'
}

type Settled =
  | { readonly state: 'done'; readonly answer: FoundAnswer }
  | { readonly state: 'notDone' }
  | { readonly state: 'unknown'; readonly found: string; readonly cause?: unknown }

function settle(conclusion: Conclusion, { confirmed, mayResend }: { confirmed: boolean; mayResend: boolean }): Settled {
  switch (conclusion.state) {
    case 'done':
      return conclusion
    case 'undecided':
      return { state: 'unknown', found: conclusion.why }
    case 'underWay':
      return { state: 'unknown', found: 'something is under way there and does not end' }
    case 'unread':
      return {
        state: 'unknown',
        found: `reading the service failed (${conclusion.error.message})`,
        cause: conclusion.error,
      }
    case 'notDone':
    case 'unseen':
      if (confirmed) return { state: 'unknown', found: 'you said that it was done, but it is not there (yet)' }
      return mayResend ? { state: 'notDone' } : { state: 'unknown', found: 'it is not there (yet)' }
  }
}

function tooSlow(write: { operation: ReconciledId }, { stepKey }: StepContext, lookedFor: string): AudienceError {
  return new AudienceError({
    code: 'job-timeout',
    kind: 'failed',
    message: `step "${stepKey}": the service says that ${write.operation} is being done already, but does not show ${lookedFor}`,
    hint: 'the job goes on; run again later, or give the step a longer timeout in await',
  })
}
