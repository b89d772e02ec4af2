import { readFileSync, statSync } from 'node:fs'
import { codeOf } from '../core/code-of.ts'
import { type DecodedText, decodeText } from '../core/decode-text.ts'
import { AudienceError } from '../core/errors.ts'
import { messageOf } from '../core/message-of.ts'

/** Far above the size limit of a document; the loader reports that limit with a position. */
const MAX_BYTES = 10_000_000

/** The text of a document. Throws an AudienceError that says why it cannot be read. */
export function readDocument(file: string): DecodedText {
  try {
    const stats = statSync(file)
    // Reading a pipe would wait for its writer.
    if (!stats.isFile()) throw new Error('it is no file')
    if (stats.size > MAX_BYTES) throw new Error('it is larger than 10 MB')
    return decodeText(readFileSync(file))
  } catch (error) {
    const isMissing = codeOf(error) === 'ENOENT'
    throw new AudienceError({
      code: 'document-unreadable',
      kind: 'usage',
      message: isMissing ? `there is no file ${file}` : `${file} cannot be read: ${messageOf(error)}`,
      hint: 'check the path',
      cause: error,
    })
  }
}
