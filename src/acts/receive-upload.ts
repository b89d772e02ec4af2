import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { pipeline as pipe } from 'node:stream/promises'
import { usageError, WrongFieldsError } from '../core/errors.ts'
import { formatSizeLimit } from '../core/format/figures.ts'
import { mayBeNotUtf8 } from '../core/utf8-name.ts'

/** Writes the body of an upload durably to a new file. Throws `file-too-large`. */
export async function receiveUpload(
  body: AsyncIterable<Buffer>,
  path: string,
  maxBytes: number,
): Promise<{ readonly size: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  let size = 0
  await pipe(
    body,
    async function* limited(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        size += chunk.length
        if (size > maxBytes) throw usageError('file-too-large', `the file has more than ${formatSizeLimit(maxBytes)}`)
        hash.update(chunk)
        yield chunk
      }
    },
    createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
  )
  return { size, sha256: hash.digest('hex') }
}

/**
 * Whether a text is a plain file name: not a path, not hidden, without control characters, and without characters that
 * are invisible or change the direction of text.
 */
function isPlainName(name: string): boolean {
  return !/[/\\\p{Cc}\p{Cf}\u2028\u2029]/u.test(name) && !name.startsWith('.')
}

/** Throws `bad-request` for a name that no upload may have. */
export function requirePlainName(name: string): void {
  if (mayBeNotUtf8(name)) throw wrongName('has a character that stands for bytes that are not UTF-8: rename the file')
  if (!isPlainName(name)) throw wrongName('is not a file name')
}

/** The error for a name that cannot be used. `reason` is the text that follows the word `name` in the message. */
export function wrongName(reason: string): WrongFieldsError {
  return new WrongFieldsError('bad-request', `name: ${reason}`, { name: reason })
}
