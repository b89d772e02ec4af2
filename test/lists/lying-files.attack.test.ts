import { expect, test } from 'vitest'
import { LIST_LIMITS } from '../../src/core/list-limits.ts'
import { roomFor, whileRoom } from '../../src/lists/disk-room.ts'
import { listBench, parquetOf } from './list-bench.ts'

const limits = { ...LIST_LIMITS, memoryBytes: 300e6, timeoutMs: 60_000 }
const REFUSED = /^list-(?:unreadable|memory|empty|process|column-type|no-column|timeout)$/

test('a Parquet file with wrong sizes fails only its step', async () => {
  const file = await parquetOf("SELECT 'p' || range || '@x.test' AS email FROM range(2000)")
  const bench = listBench({ limits })
  const end = file.length - 8
  const footer = end - file.readUInt32LE(end)
  // Each size is a varint in the footer or in the header of a page; made as large as its bytes allow.
  const places = [
    ...Array.from({ length: 24 }, (_, at) => 4 + at),
    ...Array.from({ length: 24 }, (_, at) => footer + at * 3),
  ]
  for (const place of places.filter((each) => each < end)) {
    const lying = Buffer.from(file)
    lying.fill(0xff, place, place + 4)
    lying[place + 4] = 0x07
    const { code } = await bench.prepare(lying, { column: 'email' }).then(
      () => ({ code: 'list-empty' }),
      (error: { code: string }) => error,
    )
    expect(code).toMatch(REFUSED)
  }
  const lying = Buffer.from(file)
  lying.writeUInt32LE(0xfffffff0, end)
  await expect(bench.prepare(lying, { column: 'email' })).rejects.toMatchObject({ code: 'list-unreadable' })
  await expect(bench.prepare(file, { column: 'email' })).resolves.toMatchObject({ keys: 2000 })
})

test('a Parquet file of a few kilobytes with gigabytes of rows takes time and no memory', async () => {
  const file = await parquetOf("SELECT repeat('x', 1000000) AS email FROM range(3000)")
  expect(file.length).toBeLessThan(3e6)
  const bench = listBench({ limits })
  await expect(bench.prepare(file, { column: 'email' })).rejects.toMatchObject({ code: expect.stringMatching(REFUSED) })
  await expect(bench.prepare('email\na@x.test\n', { column: 'email' })).resolves.toMatchObject({ keys: 1 })
})

test('a file with far too many columns is an error, and none of them gets into the memory of the daemon', async () => {
  const line = (row: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`k${row}-${at}`, 1])))
  const optOuts = listBench()
  await optOuts
    .prepare(Array.from({ length: 60 }, (_, row) => line(row)).join('\n'), { column: 'k' })
    .catch(() => undefined)
  const bench = listBench({ suppress: [optOuts.file] })
  await expect(bench.prepare('email\na@x.test\n', { column: 'email' })).rejects.toMatchObject({
    code: 'opt-outs-unusable',
  })
})

test('no list begins or goes on when its disk has less than the reserved space', async () => {
  const disk = (left: number) => async () => ({ blocks: 100, bavail: left, bsize: 1e6 })
  expect(await roomFor('/', disk(50))).toBe(45e6)
  await expect(roomFor('/', disk(4))).rejects.toMatchObject({
    code: 'list-disk-full',
    message:
      'the disk of the state has no room for the list: it has 4.0 MB left, and 5.0 MB must stay free for the state itself',
  })
  let left = 50
  const work = whileRoom(
    '/',
    new AbortController().signal,
    async (signal) => {
      left = 4
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
    () => disk(left)(),
  )
  await expect(work).rejects.toMatchObject({ code: 'list-disk-full' })
})
