import { writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { zstdFrames } from '../../src/lists/zstd-frames.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { listBench } from './list-bench.ts'

const data = zstdCompressSync('email\np1@x.test\n')
/** A frame without data, as programs put their own index into it; there are 16 numbers for such frames. */
const skippable = (number: number) =>
  Buffer.concat([Buffer.of(0x50 + number, 0x2a, 0x4d, 0x18, 3, 0, 0, 0), Buffer.from('abc')])

test.each(Array.from({ length: 16 }, (_, number) => number))('skippable frame %i holds no data', async (number) => {
  const path = join(tempFolder(), 'list.zst')
  const before = skippable(number)
  writeFileSync(path, Buffer.concat([before, data, skippable(15 - number)]))
  await using file = await open(path)
  expect(await Array.fromAsync(zstdFrames(file, new AbortController().signal))).toEqual([
    { start: before.length, end: before.length + data.length - 1 },
  ])
})

test('a seekable file, whose index is frame 14, is a list', async () => {
  const content = Buffer.concat([data, zstdCompressSync('p2@x.test\n'), skippable(14)])
  expect(await listBench().prepare(content, { column: 'email' })).toMatchObject({ rows: 2, keys: 2 })
})
