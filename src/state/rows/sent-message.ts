import { parseJson } from '../../core/json.ts'
import { signatureOf } from '../../core/run.ts'
import type { RunMessage, SentDecision, SentMessage } from '../run-history.ts'

/** The message in a row of the table `messages`. */
export function sentMessage(row: Record<string, unknown>): RunMessage {
  // Only `send` of the journal writes this column.
  return parseJson(String(row.data)) as unknown as RunMessage
}

/**
 * The messages in rows that have their ids and runs too. What is damaged, or of a kind that a later version knows, is left
 * out: it must not hold up the others.
 */
export function sentMessages(rows: readonly Record<string, unknown>[]): SentMessage[] {
  return rows.flatMap((row) => {
    const message = readable(row)
    return message ? [{ id: Number(row.id), runId: String(row.run_id), message }] : []
  })
}

/** The decisions in the messages of one run, with who made them. */
export function sentDecisions(rows: readonly Record<string, unknown>[]): SentDecision[] {
  return rows.flatMap((row) => {
    const message = readable(row)
    return message?.kind === 'decide' ? [{ ref: message.ref, decision: message.decision, ...signatureOf(message) }] : []
  })
}

function readable(row: Record<string, unknown>): RunMessage | undefined {
  try {
    const message = sentMessage(row)
    return message.kind === 'cancel' || message.kind === 'decide' ? message : undefined
  } catch {
    return undefined
  }
}
