import { parseJson } from '../../core/json.ts'
import type { RunMessage } from '../run-history.ts'

/** The message in a row of the table `messages`. */
export function sentMessage(row: Record<string, unknown>): RunMessage {
  // Only `send` of the journal writes this column.
  return parseJson(String(row.data)) as unknown as RunMessage
}
