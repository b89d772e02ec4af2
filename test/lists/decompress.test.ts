import { expect, test } from 'vitest'
import { compressionOf } from '../../src/lists/decompress.ts'

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
