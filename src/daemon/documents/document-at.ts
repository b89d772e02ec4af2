import { codeOf } from '../../core/code-of.ts'
import { type DecodedText, decodeText, type UnreadText } from '../../core/decode-text.ts'
import { AudienceError } from '../../core/errors.ts'
import { messageOf } from '../../core/message-of.ts'
import { readBounded } from '../../platform/read-bounded.ts'

/**
 * Pipelines and calendars are smaller than this. The code that reads them has its own limits, and reports them with a
 * position.
 */
const MAX_BYTES = 20_000_000

/**
 * The text of a document, or why it cannot be read; undefined if the file does not exist. Throws what `checkFile`
 * throws.
 */
export function documentAt(path: string, checkFile?: (path: string) => void): DecodedText | UnreadText | undefined {
  try {
    return decodeText(readBounded(path, MAX_BYTES, checkFile))
  } catch (error) {
    if (error instanceof AudienceError) throw error
    return codeOf(error) === 'ENOENT' ? undefined : { unread: messageOf(error) }
  }
}
