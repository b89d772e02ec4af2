import { open } from 'node:fs/promises'
import { readChunks } from '../platform/read-chunks.ts'

const LINE_FEED = 10

/** The size and the digest of a finished list. `fit`: how many of its keys fit into `most` bytes, if not all do. */
export async function measureList(
  file: string,
  signal: AbortSignal,
  most = Number.POSITIVE_INFINITY,
): Promise<{ readonly bytes: number; readonly sha256: string; readonly fit: number | undefined }> {
  const { createHash } = await import('node:crypto')
  const hash = createHash('sha256')
  let bytes = 0
  let lines = 0
  await using list = await open(file, 'r')
  for await (const chunk of readChunks(list, signal)) {
    hash.update(chunk)
    if (bytes < most) lines += linesIn(chunk.subarray(0, most - bytes))
    bytes += chunk.length
  }
  // The first line is the header.
  return { bytes, sha256: hash.digest('hex'), fit: bytes > most ? lines - 1 : undefined }
}

function linesIn(chunk: Buffer): number {
  let lines = 0
  for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) lines += 1
  return lines
}
