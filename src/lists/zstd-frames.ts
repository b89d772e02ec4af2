import type { FileHandle } from 'node:fs/promises'

const FRAME = 0xfd2fb528
/** The first of 16 magic numbers of frames that hold no data. */
const SKIPPABLE = 0x184d2a50
/** The length of the frame's content size, by the first two bits of its descriptor. */
const SIZE_BYTES = [0, 2, 4, 8]
const DICTIONARY_BYTES = [0, 1, 2, 4]
const RUN_LENGTH_BLOCK = 1

/** The bytes of a frame; `end` is included. */
export interface ZstdFrame {
  readonly start: number
  readonly end: number
}

/**
 * The frames of a Zstandard file (RFC 8878) that hold data, one after the other, because a file can have millions.
 * Throws if the file is cut off. Node decompresses only the first frame, and DuckDB accepts a truncated file as
 * complete.
 */
export async function* zstdFrames(file: FileHandle, signal: AbortSignal): AsyncGenerator<ZstdFrame> {
  const { size } = await file.stat()
  for (let start = 0; start < size; ) {
    signal.throwIfAborted()
    const magic = await numberAt(file, start, 4)
    const isSkippable = (magic & ~0xf) >>> 0 === SKIPPABLE
    if (!isSkippable && magic !== FRAME) throw new Error('it contains something other than a frame')
    const next = isSkippable
      ? start + 8 + (await numberAt(file, start + 4, 4))
      : await endOfFrame(file, { start, size, signal })
    if (Number.isNaN(next) || next > size) throw new Error('it is cut off')
    if (!isSkippable) yield { start, end: next - 1 }
    start = next
  }
}

async function endOfFrame(
  file: FileHandle,
  { start, size, signal }: { start: number; size: number; signal: AbortSignal },
): Promise<number> {
  const descriptor = await numberAt(file, start + 4, 1)
  const isSingleSegment = (descriptor & 0x20) !== 0
  const sizeBytes = descriptor >> 6 === 0 && isSingleSegment ? 1 : (SIZE_BYTES[descriptor >> 6] ?? 0)
  let at = start + 5 + (isSingleSegment ? 0 : 1) + (DICTIONARY_BYTES[descriptor & 3] ?? 0) + sizeBytes
  while (at < size) {
    signal.throwIfAborted()
    const block = await numberAt(file, at, 3)
    if (Number.isNaN(block)) return block
    const bytes = ((block >> 1) & 3) === RUN_LENGTH_BLOCK ? 1 : block >> 3
    at += 3 + bytes
    if ((block & 1) !== 0) return at + ((descriptor & 4) === 0 ? 0 : 4)
  }
  return Number.NaN
}

/** Reads a number; NaN beyond the end of the file. */
async function numberAt(file: FileHandle, at: number, length: number): Promise<number> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at)
  return bytesRead < length ? Number.NaN : buffer.readUIntLE(0, length)
}
