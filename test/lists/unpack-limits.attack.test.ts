import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { LIST_LIMITS } from '../../src/core/list-limits.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { listBench } from './list-bench.ts'

const MB = 1_000_000
const ROW = 'email\nann@example.com\n'
const blanks = Buffer.alloc(10 * MB, '\n')
/** 10 kB that become 10 MB. */
const gzipped = gzipSync(blanks, { level: 9 })
/** 1 kB that becomes 10 MB. */
const zstd = zstdCompressSync(blanks)
const repeated = (part: Buffer, times: number) => Buffer.alloc(part.length * times, part)

const BOMBS = [
  ['gzip of many members', Buffer.concat([gzipSync(ROW), repeated(gzipped, 11)])],
  ['gzip of one member', gzipSync(Buffer.concat([Buffer.from(ROW), repeated(blanks, 11)]), { level: 9 })],
  ['zstd of many frames', Buffer.concat([zstdCompressSync(ROW), repeated(zstd, 11)])],
  ['zstd of one frame', zstdCompressSync(Buffer.concat([Buffer.from(ROW), repeated(blanks, 11)]))],
] as const

test.each(BOMBS)(
  'a bomb is refused with its file, its figures and the setting, and leaves nothing: %s',
  async (_, bomb) => {
    const bench = listBench()
    await expect(bench.prepare(bomb, { column: 'email' })).rejects.toMatchObject({
      code: 'list-unpacked',
      message: expect.stringMatching(
        /people has [\d.]+ kB and unpacks to more than 100\.0 MB, which is more than 200 times its size$/,
      ),
      hint: expect.stringContaining('lists.maxRatio'),
    })
    expect(readdirSync(bench.folder).flatMap((run) => readdirSync(`${bench.folder}/${run}`))).toEqual([])
  },
)

test('an opt-out list that is a bomb stops the list', async () => {
  const bomb = join(tempFolder(), 'bomb')
  writeFileSync(bomb, BOMBS[0][1])
  const bench = listBench({ suppress: [bomb] })
  await expect(bench.prepare(ROW, { column: 'email' })).rejects.toMatchObject({ code: 'list-unpacked' })
})

test('the content of a small file may be a thousand times its size', async () => {
  const people = Buffer.from(ROW + 'bob@example.com\n'.repeat(500_000))
  const content = zstdCompressSync(people)
  expect(people.length / content.length).toBeGreaterThan(1000)
  await expect(listBench().prepare(content, { column: 'email' })).resolves.toMatchObject({ rows: 500_001, keys: 2 })
})

test('all files of a list share one limit', async () => {
  const folder = tempFolder()
  const files = ['a', 'b', 'c'].map((name) => join(folder, `${name}.gz`))
  for (const file of files) writeFileSync(file, Buffer.concat([gzipSync(ROW), gzipped]))
  const limits = { ...LIST_LIMITS, maxUnpackedBytes: 25 * MB }
  const sources = { it: { kind: 'path', path: join(folder, '*.gz') } } as const
  const bench = listBench({ limits, sources })
  const list = { from: { source: 'it' }, column: 1 }
  await expect(bench.prepare('', list)).rejects.toMatchObject({
    code: 'list-unpacked',
    message: expect.stringMatching(
      /c\.gz has .* kB and unpacks to more than 25\.0 MB, with the other files of the list$/,
    ),
    hint: expect.stringContaining('lists.maxUnpacked'),
  })
  rmSync(files[2] ?? '')
  await expect(bench.prepare('', list)).resolves.toMatchObject({ keys: 1 })
})

test('a frame that asks for gigabytes of memory is damaged', async () => {
  const wide = zstdCompressSync(Buffer.alloc(1 << 20, 'a@x.test\n'), {
    params: {
      [constants.ZSTD_c_windowLog]: 30,
      [constants.ZSTD_c_contentSizeFlag]: 0,
      [constants.ZSTD_c_enableLongDistanceMatching]: 1,
    },
  })
  // A window of 2^41 bytes: exponent 31.
  const frame = Buffer.from(wide)
  expect((frame[4] ?? 0) & 0x20).toBe(0)
  frame[5] = 31 << 3
  await expect(listBench().prepare(frame, { column: 1 })).rejects.toMatchObject({ code: 'list-unreadable' })
})

test('a million frames without data take no memory, and end with the list', async () => {
  const empty = zstdCompressSync('')
  const bench = listBench({ limits: { ...LIST_LIMITS, memoryBytes: 300 * MB, timeoutMs: 1000 } })
  const before = process.memoryUsage().rss
  await expect(bench.prepare(repeated(empty, 1_000_000), { column: 1 })).rejects.toMatchObject({ code: 'list-timeout' })
  expect(process.memoryUsage().rss - before).toBeLessThan(300 * MB)
})
