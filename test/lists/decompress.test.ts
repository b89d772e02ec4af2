import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { compressionOf, decompressWithin } from '../../src/lists/decompress.ts'

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

/** What is in a gzip file of these parts. */
function unpacked(...parts: readonly Uint8Array[]): Promise<string> {
  return unpackedWithin(1e9, parts)
}

async function unpackedWithin(maxUnpackedBytes: number, parts: readonly Uint8Array[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'audience-gzip-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [path, to] = [join(folder, 'a.gz'), join(folder, 'a')]
  writeFileSync(path, Buffer.concat(parts))
  const decompress = decompressWithin({ maxUnpackedBytes, maxRatio: 200 })
  await decompress({ path, given: 'a.gz' }, to, { compression: 'gzip', signal: new AbortController().signal })
  return readFileSync(to, 'utf8')
}

const [one, other] = [gzipSync('one\n'), gzipSync('other\n')]

test.each([0, 1, 512, 200_000])('members of gzip with %d zeros after each are one file', async (count) => {
  const zeros = Buffer.alloc(count)
  expect(await unpacked(one, zeros, other, zeros)).toBe('one\nother\n')
})

test.each([0, 1, 512])('what is no member after %d zeros is an error, and so is half of one', async (count) => {
  const zeros = Buffer.alloc(count)
  await expect(unpacked(one, zeros, Buffer.from('p1@x.com\n'))).rejects.toThrow()
  await expect(unpacked(one, zeros, other.subarray(0, -3))).rejects.toThrow()
})

test('the limit itself is allowed, and one byte more is not', async () => {
  expect(await unpackedWithin(10, [one, other])).toBe('one\nother\n')
  await expect(unpackedWithin(9, [one, other])).rejects.toMatchObject({ code: 'list-unpacked' })
})
