import { createReadStream, promises } from 'node:fs'
import { AudienceError } from '../core/errors.ts'

const NEWLINE = 10
const BLANKS = new Set([9, 11, 12, 13, 32])

/** What a file holds. Rows are non-blank lines, including the header. */
export type FileContent = { bytes: number; rows: number; sha256: string; modifiedMs: number }

/** Reads a file once, in pieces. Throws an AudienceError `file-unreadable`. */
export async function inspectFile(path: string, signal: AbortSignal): Promise<FileContent> {
  // Imported with the first file: loading the crypto module takes a sixth of Node's own start time.
  const { createHash } = await import('node:crypto')
  const hash = createHash('sha256')
  let bytes = 0
  let rows = 0
  let hasText = false
  let modifiedMs: number
  const text = new TextDecoder('utf-8', { fatal: true })
  try {
    modifiedMs = await modifiedAt(path)
    for await (const chunk of createReadStream(path, { signal, highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
      hash.update(chunk)
      text.decode(chunk, { stream: true })
      bytes += chunk.length
      for (const byte of chunk) {
        if (byte === NEWLINE) {
          if (hasText) rows += 1
          hasText = false
        } else if (!hasText && !BLANKS.has(byte)) hasText = true
      }
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof TypeError) throw unusable(path, 'it is not UTF-8 text', error)
    throw new AudienceError({
      code: 'file-unreadable',
      kind: 'failed',
      message: `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      hint: 'check that the file is there and may be read',
      cause: error,
    })
  }
  if (bytes === 0) throw unusable(path, 'it is empty')
  return { bytes, rows: rows + (hasText ? 1 : 0), sha256: hash.digest('hex'), modifiedMs }
}

/** When the file was last written, in milliseconds since 1970 with fractions. */
export async function modifiedAt(path: string): Promise<number> {
  return (await promises.stat(path)).mtimeMs
}

/** An error that the service would find only in a job, after the upload (decisions 113 and 114). */
function unusable(path: string, why: string, cause?: unknown): AudienceError {
  return new AudienceError({
    code: 'file-unusable',
    kind: 'failed',
    message: `${path} cannot make a segment: ${why}`,
    hint: 'give a UTF-8 CSV file with the key in the first column',
    cause,
  })
}
