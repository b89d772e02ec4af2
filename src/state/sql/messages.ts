import { isJsonObject, parseJson, stringifyJson } from '../../core/json.ts'
import { type HumanDecision, signatureOf } from '../../core/run.ts'
import type { Redact } from '../../core/secrets.ts'
import type { RunMessage, SentDecision, SentMessage } from '../run-history.ts'
import { type Row, send, type Work } from './work.ts'

/** Adds a message within the caller's transaction. */
export function addMessage(runId: string, message: RunMessage, redact: Redact): Work<unknown> {
  return send('INSERT INTO audience.messages (run_id, data) VALUES ($1, $2)', [
    runId,
    stringifyJson(storedMessage(message, redact)),
  ])
}

/**
 * The stored form of a message. Only the audit log keeps its origin. Secrets are removed only from `by` and `comment`,
 * because they come from people.
 */
function storedMessage(
  { role: _role, address: _address, by, comment, ...message }: RunMessage,
  redact: Redact,
): object {
  return { ...message, by: by && redact(by), comment: comment && redact(comment) }
}

/**
 * The messages in rows of the table `messages`. Skips messages that are damaged or of a kind that only later versions
 * know, so that they do not block others.
 */
export function messagesIn(rows: readonly Row[]): RunMessage[] {
  return rows.flatMap((row) => messageIn(row) ?? [])
}

/** The same messages, with their ids and runs. */
export function sentMessages(rows: readonly Row[]): SentMessage[] {
  return rows.flatMap((row) => {
    const message = messageIn(row)
    return message ? [{ id: Number(row.id), runId: String(row.run_id), message }] : []
  })
}

/** The decisions in the messages of one run, and who made them. */
export function sentDecisions(rows: readonly Row[]): SentDecision[] {
  return messagesIn(rows).flatMap((message) =>
    message.kind === 'decide' ? [{ ref: message.ref, decision: message.decision, ...signatureOf(message) }] : [],
  )
}

function messageIn({ data }: Row): RunMessage | undefined {
  try {
    const message = parseJson(String(data))
    return isMessage(message) ? message : undefined
  } catch {
    return undefined
  }
}

const DECISIONS: readonly unknown[] = ['done', 'again', 'approved', 'rejected'] satisfies HumanDecision[]

function isMessage(message: unknown): message is RunMessage {
  if (!isJsonObject(message)) return false
  const { kind, ref, decision } = message
  if (kind !== 'decide') return kind === 'cancel'
  return isJsonObject(ref) && typeof ref.step === 'string' && DECISIONS.includes(decision)
}
