import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { type AudienceError, failedError } from '../core/errors.ts'

/** Large enough for cheap reads, and small enough that a few chunks need little memory. */
const CHUNK_BYTES = 256 * 1024

export interface MultipartFile {
  readonly contentType: string
  /** The exact size of the whole body, in bytes. */
  readonly contentLength: number
  readonly body: Readable
}

/**
 * A multipart/form-data body (RFC 7578) with one file part. The file is read while the body is being sent. If the file
 * changes while it is being read, or the SHA-256 of what was read is not the expected one, the stream fails with
 * `file-changed` before the body is complete, so that the service stores no part of the file (decision 114).
 */
export function multipartFile(options: {
  file: FileHandle
  /** The size of the file in bytes and its modification time when it was opened. */
  opened: { size: number; mtimeMs: number }
  /** The SHA-256 that it must have, in hex. */
  sha256: string | undefined
  path: string
  part: string
  name: string
  boundary: string
  onSent: (bytesSent: number) => void
}): MultipartFile {
  const { part, name, boundary, opened } = options
  const head = Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(part)}"; filename="${quoted(name)}"\r\n` +
      'content-type: text/csv\r\n\r\n',
  )
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    contentLength: head.length + opened.size + tail.length,
    body: Readable.from(chunks(head, tail, options), { objectMode: false, highWaterMark: CHUNK_BYTES }),
  }
}

async function* chunks(
  head: Buffer,
  tail: Buffer,
  { file, opened, sha256, path, onSent }: Parameters<typeof multipartFile>[0],
): AsyncGenerator<Buffer> {
  yield head
  const hash = sha256 === undefined ? undefined : createHash('sha256')
  let sent = 0
  while (sent < opened.size) {
    const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, opened.size - sent))
    const { bytesRead } = await file.read(chunk, 0, chunk.length, sent)
    if (bytesRead === 0) throw fileChanged(path)
    // Lets an answer arrive before the next chunk is sent. After an answer the service may close the connection, and a
    // failed write then loses the answer.
    await setImmediate()
    const read = bytesRead === chunk.length ? chunk : chunk.subarray(0, bytesRead)
    hash?.update(read)
    yield read
    sent += bytesRead
    onSent(sent)
  }
  const closed = await file.stat()
  if (closed.size !== opened.size || closed.mtimeMs !== opened.mtimeMs) throw fileChanged(path)
  // The program that writes the file may reset its modification time.
  if (hash?.digest('hex') !== sha256) throw fileChanged(path)
  yield tail
}

/** The error for a file that has changed. */
export function fileChanged(path: string): AudienceError {
  return failedError(
    'file-changed',
    `${path} changed before all of it was sent`,
    'run again when nothing is writing to it any more',
  )
}

/** Quotes a name as browsers do: in UTF-8, escaping only the characters that would end the quoted string. */
function quoted(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
