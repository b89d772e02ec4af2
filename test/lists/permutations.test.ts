import { gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { MAX_UPLOAD_BYTES } from '../../src/contract/files.ts'
import { count, grouped } from '../../src/core/format/figures.ts'
import { isLong } from '../support/is-long.ts'
import { listBench, parquetOf } from './list-bench.ts'

const keys = Array.from({ length: 2000 }, (_, index) => `Person${(index * 7919) % 2000}@example.com`)

test('20 orders of one list, in any format, are one file', async () => {
  const bench = listBench()
  const hashes = new Set<string>()
  for (let order = 1; order <= 20; order++) {
    const rows = keys.map((_, index) => keys[(index * (2 * order + 1) * 3 + order) % keys.length] ?? '')
    // Some multipliers do not reach every row.
    const all = [...new Set([...rows, ...keys])]
    const content = await FORMATS[order % FORMATS.length]?.(all)
    const { sha256, keys: count } = await bench.prepare(content ?? '', { column: 'email' })
    expect(count).toBe(keys.length)
    hashes.add(sha256)
  }
  expect(hashes.size).toBe(1)
})

const FORMATS: readonly ((rows: readonly string[]) => string | Uint8Array | Promise<Uint8Array>)[] = [
  (rows) => `email\n${rows.join('\n')}\n`,
  (rows) => `\ufeffn;email\r\n${rows.map((row) => `1;"${row.toUpperCase()}"`).join('\r\n')}`,
  (rows) => `email\tn\n${rows.map((row) => ` ${row} \t2`).join('\n')}`,
  (rows) => rows.map((email) => JSON.stringify({ n: 1, email })).join('\n'),
  (rows) => gzipSync(`email\n${rows.join('\n')}\n`),
  (rows) => zstdCompressSync(rows.map((email) => JSON.stringify({ email })).join('\n')),
  (rows) => parquetOf(`SELECT unnest([${rows.map((row) => `'${row}'`).join(',')}]) AS email`),
]

test('a list that is larger than an upload is an error with figures, and leaves nothing', async () => {
  // A list of the largest size for an upload takes a long time to make, so only the long form makes one.
  const most = isLong ? MAX_UPLOAD_BYTES : 1_572_864
  const bench = listBench(isLong ? {} : { most })
  const rows = Math.ceil(most / 990)
  const sql = `SELECT lpad(range::VARCHAR, 999, 'x') FROM input, range(${rows})`
  const request = { sql, signal: 'RECORD_ID' } as const
  const error = await bench.prepare('email\none@example.com\n', request).catch((caught) => caught)
  const header = 'record_id\n'.length
  const bytes = header + rows * 1_000
  const fit = Math.floor((most - header) / 1_000)
  expect(error).toMatchObject({
    code: 'list-too-large',
    message: `the list has ${count(rows, 'key')} and ${count(bytes, 'byte')}, but an upload takes at most ${grouped(most)}: only ${grouped(fit)} of these keys would fit`,
  })
  await expect(async () => bench.content()).rejects.toThrow('ENOENT')
})
