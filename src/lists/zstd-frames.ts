import type { FileHandle } from 'node:fs/promises'

const FRAME = 0xfd2fb528
/** The first of 16 numbers for frames that hold no data. */
const SKIPPABLE = 0x184d2a50
/** The length of the frame's content size, by the first two bits of its descriptor. */
const SIZE_BYTES = [0, 2, 4, 8]
const DICTIONARY_BYTES = [0, 1, 2, 4]
const RUN_LENGTH_BLOCK = 1

/** The bytes of a frame, `end` included. */
export interface ZstdFrame {
  readonly start: number
  readonly end: number
}

/**
 * The frames of a Zstandard file (RFC 8878) that hold data; undefined if the file is cut off. Node decompresses only the
 * first frame, and DuckDB takes a file that is cut off for a whole one.
 */
export async function zstdFrames(file: FileHandle): Promise<readonly ZstdFrame[] | undefined> {
  const { size } = await file.stat()
  const frames: ZstdFrame[] = []
  for (let start = 0; start < size; ) {
    const magic = await numberAt(file, start, 4)
    const isSkippable = (magic & ~0xf) >>> 0 === SKIPPABLE
    if (!isSkippable && magic !== FRAME) return undefined
    const next = isSkippable ? start + 8 + (await numberAt(file, start + 4, 4)) : await endOfFrame(file, start)
    if (Number.isNaN(next) || next > size) return undefined
    if (!isSkippable) frames.push({ start, end: next - 1 })
    start = next
  }
  return frames
}

async function endOfFrame(file: FileHandle, start: number): Promise<number> {
  const descriptor = await numberAt(file, start + 4, 1)
  const isSingleSegment = (descriptor & 0x20) !== 0
  const sizeBytes = descriptor >> 6 === 0 && isSingleSegment ? 1 : (SIZE_BYTES[descriptor >> 6] ?? 0)
  let at = start + 5 + (isSingleSegment ? 0 : 1) + (DICTIONARY_BYTES[descriptor & 3] ?? 0) + sizeBytes
  for (;;) {
    const block = await numberAt(file, at, 3)
    if (Number.isNaN(block)) return block
    const bytes = ((block >> 1) & 3) === RUN_LENGTH_BLOCK ? 1 : block >> 3
    at += 3 + bytes
    if ((block & 1) !== 0) return at + ((descriptor & 4) === 0 ? 0 : 4)
  }
}

/** NaN beyond the end of the file. */
async function numberAt(file: FileHandle, at: number, length: number): Promise<number> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at)
  return bytesRead < length ? Number.NaN : buffer.readUIntLE(0, length)
}
