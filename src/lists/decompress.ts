import { createReadStream, createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { zstdFrames } from './zstd-frames.ts'

export type Compression = 'gzip' | 'zstd'

/** The compression of a file from its first bytes; undefined if there is none. */
export function compressionOf(prefix: Uint8Array): Compression | undefined {
  if (prefix[0] === 0x1f && prefix[1] === 0x8b) return 'gzip'
  const [a, b, c, d] = prefix
  if (a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd) return 'zstd'
  // A frame without data at the beginning.
  return a !== undefined && (a & 0xf0) === 0x50 && b === 0x2a && c === 0x4d && d === 0x18 ? 'zstd' : undefined
}

/** Writes the content of a compressed file. Rejects with an error of Node if it is damaged or cut off. */
export async function decompress(
  from: string,
  to: string,
  { compression, signal }: { readonly compression: Compression; readonly signal: AbortSignal },
): Promise<void> {
  if (compression === 'gzip') {
    return pipeline(createReadStream(from), createGunzip(), createWriteStream(to, { mode: 0o600 }), { signal })
  }
  await using file = await open(from)
  const frames = await zstdFrames(file)
  if (!frames) throw new Error('it is cut off')
  for (const frame of frames) {
    const target = createWriteStream(to, { flags: 'a', mode: 0o600 })
    await pipeline(createReadStream(from, frame), createZstdDecompress(), target, { signal })
  }
}
