import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type Compression, compressionOf, decompressWithin } from '../../src/lists/decompress.ts'
import { tempFolder } from '../support/temp-folder.ts'

const KNOWN = [
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['zstd', [0x50, 0x2a, 0x4d, 0x18]],
  ['zstd', [0x5f, 0x2a, 0x4d, 0x18]],
] as const

test.each(KNOWN)('%s is known by all of its first bytes: %j', (kind, bytes) => {
  expect(compressionOf(Uint8Array.from([...bytes, 7]))).toBe(kind)
  for (const at of bytes.keys()) {
    expect(compressionOf(Uint8Array.from(bytes, (byte, place) => (place === at ? 0x61 : byte)))).toBeUndefined()
    expect(compressionOf(Uint8Array.from(bytes.slice(0, at)))).toBeUndefined()
  }
})

/** The content of a gzip file with these parts. */
async function unpacked(...parts: readonly Uint8Array[]): Promise<string> {
  return readFileSync(await unpackedFile(parts), 'utf8')
}

/** The file to which these parts are unpacked. */
async function unpackedFile(
  parts: readonly Uint8Array[],
  { compression = 'gzip', maxUnpackedBytes = 1e9, maxRatio = 200 }: Partial<Limits> = {},
): Promise<string> {
  const folder = tempFolder()
  const [path, to] = [join(folder, 'packed'), join(folder, 'unpacked')]
  writeFileSync(path, Buffer.concat(parts))
  const decompress = decompressWithin({ maxUnpackedBytes, maxRatio })
  await decompress({ path, given: 'a.gz' }, to, { compression, signal: new AbortController().signal })
  return to
}

interface Limits {
  readonly compression: Compression
  readonly maxUnpackedBytes: number
  readonly maxRatio: number
}

const [one, other] = [gzipSync('one\n'), gzipSync('other\n')]

test.each([0, 1, 512, 200_000])('members of gzip with %d zeros after each are one file', async (count) => {
  const zeros = Buffer.alloc(count)
  expect(await unpacked(one, zeros, other, zeros)).toBe('one\nother\n')
})

test.each([0, 1, 512])(
  'something other than a member after %d zeros is an error, and so is half a member',
  async (count) => {
    const zeros = Buffer.alloc(count)
    await expect(unpacked(one, zeros, Buffer.from('p1@x.com\n'))).rejects.toThrow()
    await expect(unpacked(one, zeros, other.subarray(0, -3))).rejects.toThrow()
  },
)

test('the limit itself is allowed, and one byte more is not', async () => {
  expect(readFileSync(await unpackedFile([one, other], { maxUnpackedBytes: 10 }), 'utf8')).toBe('one\nother\n')
  await expect(unpackedFile([one, other], { maxUnpackedBytes: 9 })).rejects.toMatchObject({ code: 'list-unpacked' })
})

test('100 MB are allowed at any ratio, and more if the ratio allows it', async () => {
  const packed = gzipSync(Buffer.alloc(100e6), { level: 1 })
  expect(statSync(await unpackedFile([packed], { maxRatio: 1 })).size).toBe(100e6)
  await expect(unpackedFile([packed, one], { maxRatio: 1 })).rejects.toMatchObject({ code: 'list-unpacked' })
  expect(statSync(await unpackedFile([packed, one], { maxRatio: 1000 })).size).toBe(100e6 + 4)
})

test.each([
  ['gzip', gzipSync],
  ['zstd', zstdCompressSync],
] as const)('what %s holds is unpacked for its owner alone', async (compression, pack) => {
  const file = await unpackedFile([pack('one\n')], { compression })
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a stop takes effect within gigabytes of zeros', async () => {
  const path = join(tempFolder(), 'a.gz')
  writeFileSync(path, one)
  // Zeros that use no space on the disk.
  truncateSync(path, 20e9)
  const stop = new AbortController()
  const to = join(tempFolder(), 'a')
  const decompress = decompressWithin({ maxUnpackedBytes: 1e9, maxRatio: 200 })
  const made = decompress({ path, given: 'a.gz' }, to, { compression: 'gzip', signal: stop.signal })
  setTimeout(() => stop.abort(new Error('stop')), 100)
  // On a busy machine, the stop comes while the first member is read: Node's pipelines then throw their own error.
  await expect(made).rejects.toThrow(/^stop$|^The operation was aborted$/)
})
