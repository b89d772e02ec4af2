import type { JsonObject } from '../../core/json.ts'
import { claimedThings } from '../claimed-things.ts'
import type { StepRun } from '../define-step.ts'
import { withClaim } from '../with-claim.ts'
import type { Sender } from './outcome-unknown.ts'
import type { OutcomeLook, ReconciledId } from './reconciler.ts'
import { sendIntended } from './send-intended.ts'
import { intend, lookFor, senderOf, type Write } from './write-intent.ts'

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
  // This is recorded, so that a run that continues after it was parked does not ask for the claims again.
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
