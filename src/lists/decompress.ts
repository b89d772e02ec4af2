import { createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { constants, createGunzip, createZstdDecompress } from 'node:zlib'
import type { ListLimits } from '../core/list-limits.ts'
import { unpacksTooLarge } from './list-errors.ts'
import { zstdFrames } from './zstd-frames.ts'

export type Compression = 'gzip' | 'zstd'

/** The compression of a file from its first bytes; undefined if there is none. */
export function compressionOf(prefix: Uint8Array): Compression | undefined {
  if (prefix[0] === 0x1f && prefix[1] === 0x8b) return 'gzip'
  const [a, b, c, d] = prefix
  if (a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd) return 'zstd'
  // A Zstandard file may begin with a frame without data.
  return a !== undefined && (a & 0xf0) === 0x50 && b === 0x2a && c === 0x4d && d === 0x18 ? 'zstd' : undefined
}

/**
 * Writes the content of a compressed file. Rejects with a Node error if the file is damaged or cut off, and with an
 * AudienceError if the content exceeds the limits. `given` is the name that people see.
 */
export type Decompress = (
  from: { path: string; given: string },
  to: string,
  file: { compression: Compression; signal: AbortSignal },
) => Promise<void>

/** A small file may become this large at any ratio, because a line repeated a million times is harmless. */
const ALWAYS_BYTES = 100e6
/** A frame may ask for this much memory (128 MB), as the command `zstd` allows by default. */
const ZSTD_OPTIONS = { params: { [constants.ZSTD_d_windowLogMax]: 27 } }

/** Decompresses the files of one list, which share one limit for their size. */
export function decompressWithin({
  maxUnpackedBytes,
  maxRatio,
}: Pick<ListLimits, 'maxUnpackedBytes' | 'maxRatio'>): Decompress {
  let unpacked = 0
  return async ({ given, path: from }, to, { compression, signal }) => {
    await using file = await open(from)
    const { size } = await file.stat()
    const mostOfFile = Math.max(ALWAYS_BYTES, size * maxRatio)
    let ofFile = 0
    async function* counted(content: AsyncIterable<Buffer>) {
      for await (const chunk of content) {
        ofFile += chunk.length
        unpacked += chunk.length
        if (ofFile > mostOfFile) throw unpacksTooLarge(given, { size, maxRatio, most: mostOfFile })
        if (unpacked > maxUnpackedBytes) throw unpacksTooLarge(given, { size, most: maxUnpackedBytes })
        yield chunk
      }
    }
    const target = () => createWriteStream(to, { flags: 'a', mode: 0o600 })
    if (compression === 'gzip') {
      // Node stops without an error at the first zero byte after a member, whatever follows it. Without `unended`, the
      // rest of the file would be read for each member.
      for (let start = 0; start < size; start = await endOfZeros(file, start, signal)) {
        const gunzip = createGunzip()
        const unended = async function* (chunks: AsyncIterable<Buffer>) {
          for await (const chunk of chunks) {
            if (gunzip.readableEnded) return
            yield chunk
          }
        }
        await pipeline(createReadStream(from, { start }), unended, gunzip, counted, target(), { signal })
        start += gunzip.bytesWritten
      }
      return
    }
    for await (const frame of zstdFrames(file, signal)) {
      await pipeline(createReadStream(from, frame), createZstdDecompress(ZSTD_OPTIONS), counted, target(), { signal })
    }
  }
}

/** Finds the end of the zeros that pad tapes and blocks. */
async function endOfZeros(file: FileHandle, start: number, signal: AbortSignal): Promise<number> {
  const block = Buffer.alloc(65_536)
  for (let at = start; ; ) {
    signal.throwIfAborted()
    const { bytesRead } = await file.read(block, 0, block.length, at)
    const other = block.subarray(0, bytesRead).findIndex((byte) => byte !== 0)
    if (other >= 0) return at + other
    if (bytesRead === 0) return at
    at += bytesRead
  }
}
