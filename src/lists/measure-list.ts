import { createReadStream } from 'node:fs'
import { MAX_UPLOAD_BYTES } from '../contract/files.ts'

const LINE_FEED = 10

/** The size and the digest of a finished list; `fit`: how many of its keys an upload can have, if not all of them. */
export async function measureList(
  file: string,
  signal: AbortSignal,
): Promise<{ readonly bytes: number; readonly sha256: string; readonly fit?: number }> {
  const { createHash } = await import('node:crypto')
  const hash = createHash('sha256')
  let bytes = 0
  let lines = 0
  for await (const chunk of createReadStream(file, { signal, highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    if (bytes < MAX_UPLOAD_BYTES) lines += linesIn(chunk.subarray(0, MAX_UPLOAD_BYTES - bytes))
    bytes += chunk.length
  }
  // The first line is the header.
  return { bytes, sha256: hash.digest('hex'), ...(bytes > MAX_UPLOAD_BYTES && { fit: lines - 1 }) }
}

function linesIn(chunk: Buffer): number {
  let lines = 0
  for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) lines += 1
  return lines
}
