import { writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { zstdFrames } from '../../src/lists/zstd-frames.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { listBench } from './list-bench.ts'

const data = zstdCompressSync('email\np1@x.test\n')
/** A frame without data, in which programs store an index. There are 16 magic numbers for such frames. */
const skippable = (number: number) =>
  Buffer.concat([Buffer.of(0x50 + number, 0x2a, 0x4d, 0x18, 3, 0, 0, 0), Buffer.from('abc')])

test.each(Array.from({ length: 16 }, (_, number) => number))('skippable frame %i holds no data', async (number) => {
  const before = skippable(number)
  expect(await framesOf(Buffer.concat([before, data, skippable(15 - number)]))).toEqual([
    { start: before.length, end: before.length + data.length - 1 },
  ])
})

/**
 * A frame with a header of this length and three blocks: a raw one, one that repeats a byte a thousand times, and a
 * compressed one.
 */
function frameOf(descriptor: number, more: number): Buffer {
  const block = (isLast: 0 | 1, type: number, size: number) =>
    Buffer.of(((size << 3) | (type << 1) | isLast) & 0xff, (size << 3) >> 8, 0)
  const header = [Buffer.of(0x28, 0xb5, 0x2f, 0xfd, descriptor), Buffer.alloc(more, 0xff)]
  const blocks = [block(0, 0, 2), Buffer.from('ab'), block(0, 1, 1000), Buffer.from('c'), block(1, 2, 3)]
  const checksum = Buffer.alloc((descriptor & 4) === 0 ? 0 : 4, 0xff)
  return Buffer.concat([...header, ...blocks, Buffer.from('def'), checksum])
}

async function framesOf(content: Uint8Array) {
  const path = join(tempFolder(), 'list.zst')
  writeFileSync(path, content)
  await using file = await open(path)
  return await Array.fromAsync(zstdFrames(file, new AbortController().signal))
}

test.each([
  ...[[0x00, 1] as const, [0x40, 3] as const, [0x80, 5] as const, [0xc0, 9] as const],
  ...[[0x20, 1] as const, [0x60, 2] as const, [0xa0, 4] as const, [0xe0, 8] as const],
  ...[[0x21, 2] as const, [0x22, 3] as const, [0x23, 5] as const, [0x24, 1] as const, [0x04, 1] as const],
])(
  'a frame with the descriptor %i, and %i bytes of its header behind it, ends where it ends',
  async (descriptor, more) => {
    const frame = frameOf(descriptor, more)
    expect(await framesOf(Buffer.concat([frame, frame]))).toEqual([
      { start: 0, end: frame.length - 1 },
      { start: frame.length, end: 2 * frame.length - 1 },
    ])
  },
)

test.each([
  ['a frame', frameOf(0x24, 1)],
  ['a frame without data', skippable(0)],
])('%s that is cut off anywhere is an error', async (_what, frame) => {
  for (let length = 1; length < frame.length; length += 1)
    await expect(framesOf(frame.subarray(0, length)), `${length} bytes`).rejects.toThrow()
})

test.each([
  ['frames without data', Buffer.concat(Array.from({ length: 100 }, () => skippable(0)))],
  ['empty blocks', Buffer.concat([Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0x20, 0), Buffer.alloc(300), Buffer.of(1, 0, 0)])],
])('a stop is heeded between %s', async (_what, content) => {
  const path = join(tempFolder(), 'list.zst')
  writeFileSync(path, content)
  await using opened = await open(path)
  const stop = new AbortController()
  let reads = 0
  const read = (...where: Parameters<FileHandle['read']>) => {
    reads += 1
    if (reads === 10) stop.abort(new Error('stop'))
    return opened.read(...where)
  }
  const file = { stat: () => opened.stat(), read } as unknown as FileHandle
  await expect(Array.fromAsync(zstdFrames(file, stop.signal))).rejects.toThrow('stop')
  expect(reads).toBeLessThan(15)
})

test('a seekable file, whose index is frame 14, is a list', async () => {
  const content = Buffer.concat([data, zstdCompressSync('p2@x.test\n'), skippable(14)])
  expect(await listBench().prepare(content, { column: 'email' })).toMatchObject({ rows: 2, keys: 2 })
})
