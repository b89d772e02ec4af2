import { parseJson } from '../../core/json.ts'
import type { RunMessage, SentMessage } from '../run-history.ts'

/** The message in a row of the table `messages`. */
export function sentMessage(row: Record<string, unknown>): RunMessage {
  // Only `send` of the journal writes this column.
  return parseJson(String(row.data)) as unknown as RunMessage
}

/** The messages in rows that have their ids and runs too. */
export function sentMessages(rows: readonly Record<string, unknown>[]): SentMessage[] {
  return rows.map((row) => ({ id: Number(row.id), runId: String(row.run_id), message: sentMessage(row) }))
}
