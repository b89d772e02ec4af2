import { type DecodedText, decodeText } from '../../core/decode-text.ts'
import { readBounded } from '../../platform/read-bounded.ts'

/** Pipelines and calendars are smaller; their readers say so with a position. */
const MAX_BYTES = 20_000_000

/** The text of a document; undefined if it cannot be read. */
export function documentAt(path: string): DecodedText | undefined {
  try {
    return decodeText(readBounded(path, MAX_BYTES))
  } catch {
    return undefined
  }
}
