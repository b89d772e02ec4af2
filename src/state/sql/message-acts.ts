import { AudienceError } from '../../core/errors.ts'
import { actorOf, stepKey } from '../../core/run.ts'
import type { Act } from '../audit-log.ts'
import type { RunMessage } from '../run-history.ts'
import { sentDecisions } from './sent-message.ts'

/** The entry of the audit log for a message of a person. */
export function actOf(runId: string, message: RunMessage): Act {
  const done = { ...actorOf(message), subject: runId, outcome: 'done' }
  return message.kind === 'cancel'
    ? { ...done, act: 'run.cancel' }
    : { ...done, act: `run.${message.decision}`, detail: stepKey(message.ref) }
}

/** Whether a decision about the same step is already waiting, in rows of the table `messages`. */
export function waitsHere(
  rows: readonly Readonly<Record<string, unknown>>[],
  { ref }: Extract<RunMessage, { kind: 'decide' }>,
): boolean {
  return sentDecisions(rows).some((other) => stepKey(other.ref) === stepKey(ref))
}

/** What a message is stored as: only the audit log keeps from where it came. */
export function storedMessage({ role: _role, address: _address, ...message }: RunMessage): object {
  return message
}

export function decidedBefore(runId: string): AudienceError {
  return new AudienceError({
    code: 'already-decided',
    kind: 'usage',
    message: `run ${runId} has a decision about this step already; it is acted on when the run goes on`,
    hint: `go on with it: audience runs resume ${runId}`,
  })
}
