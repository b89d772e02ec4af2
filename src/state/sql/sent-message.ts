import { isJsonObject, parseJson } from '../../core/json.ts'
import { type Decision, signatureOf } from '../../core/run.ts'
import type { RunMessage, SentDecision, SentMessage } from '../run-history.ts'

type Row = Readonly<Record<string, unknown>>

/**
 * The messages in rows of the table `messages`. What is damaged, or of a kind that a later version knows, is left out: it
 * must not hold up the others.
 */
export function messagesIn(rows: readonly Row[]): RunMessage[] {
  return rows.flatMap((row) => messageIn(row) ?? [])
}

/** The same with their ids and runs. */
export function sentMessages(rows: readonly Row[]): SentMessage[] {
  return rows.flatMap((row) => {
    const message = messageIn(row)
    return message ? [{ id: Number(row.id), runId: String(row.run_id), message }] : []
  })
}

/** The decisions in the messages of one run, with who made them. */
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

const DECISIONS: readonly unknown[] = ['done', 'again', 'approved', 'rejected'] satisfies Decision[]

function isMessage(message: unknown): message is RunMessage {
  if (!isJsonObject(message)) return false
  const { kind, ref, decision } = message
  if (kind !== 'decide') return kind === 'cancel'
  return isJsonObject(ref) && typeof ref.step === 'string' && DECISIONS.includes(decision)
}
