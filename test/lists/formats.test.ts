import { createHash } from 'node:crypto'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import type { FileSignal } from '../../src/contract/enumerations.ts'
import { FILE_SIGNALS } from '../../src/contract/enumerations.ts'
import { normaliseKey } from '../../src/contract/normalise-key.ts'
import type { ListRequest } from '../../src/lists/list-request.ts'
import { isLong } from '../support/is-long.ts'
import { listBench, parquetOf } from './list-bench.ts'

const PEOPLE = [
  ['Ann', 'ann@example.com', 'likes "quotes", and commas'],
  ['Bob', ' BOB@example.com ', 'two\nlines'],
  ['Zoë', 'zoë@example.com', ''],
  ['Ann again', 'Ann@Example.com', 'ends with a backslash\\'],
  ['Nobody', '', ''],
  ['Broken', 'broken', ''],
] as const
const FIGURES = { rows: 6, keys: 3, duplicates: 1, empty: 1, bad: 1 }
const CONTENT = 'email\nann@example.com\nbob@example.com\nzoë@example.com\n'

const header = ['name', 'email', 'note']
const quoted = (mark: string) => (value: string) => `${mark}${value.replaceAll(mark, mark + mark)}${mark}`
const rows = (delimiter: string, end: string, quote = quoted('"')) =>
  [header, ...PEOPLE].map((row) => row.map(quote).join(delimiter) + end).join('')
const bare = (delimiter: string) =>
  [header, ...PEOPLE].map((row) => row.map((value) => value.replaceAll(/["\n,;|\t]/g, ' ')).join(delimiter)).join('\n')
const records = PEOPLE.map(([name, email, note]) => ({ name, email, note }))
const ndjson = records.map((record) => JSON.stringify(record)).join('\n')

const TEXTS: readonly [name: string, text: string][] = [
  ['quoted CSV', rows(',', '\n')],
  ['CSV with CRLF', rows(',', '\r\n')],
  ['CSV with a byte order mark', `\ufeff${rows(',', '\r\n')}`],
  ['CSV without the last line end', rows(',', '\n').trimEnd()],
  ['CSV after blank lines', `\n  \n${rows(',', '\n')}`],
  ['CSV with blank lines inside', rows(',', '\n').replace('\n"Bob"', '\n\n"Bob"')],
  ['CSV with mixed line ends', rows(',', '\n').replace('\n', '\r\n').replaceAll('two\nlines', '')],
  ['CSV with other mixed line ends', rows(',', '\r\n').replace('\r\n', '\n').replaceAll('two\nlines', '')],
  ['CSV with the line ends of old Macs', rows(',', '\r').replaceAll('two\nlines', '')],
  ['bare CSV', bare(',')],
  ['semicolons', rows(';', '\n')],
  ['bare semicolons', bare(';')],
  ['TSV', bare('\t')],
  ['quoted TSV', rows('\t', '\r\n')],
  ['bars', bare('|')],
  ['single quotes', rows(',', '\n', quoted("'")).replaceAll('"', ' ')],
  ['backslashes before quotes', rows(',', '\n', (value) => `"${value.replaceAll('\\', ' ').replaceAll('"', '\\"')}"`)],
  ['NDJSON', ndjson],
  ['NDJSON with CRLF, blank lines and null', `${ndjson.replaceAll('""', 'null').replaceAll('\n', '\r\n\r\n')}\r\n`],
]

/** The ways to read a text. In the short form, each text is read as it is, and in one of the other ways, in turn. */
function readings(text: string | Buffer, turn: number): (readonly [string | Buffer, Partial<ListRequest>])[] {
  const column = { column: 'email' }
  const others = [
    [gzipSync(text), column],
    [zstdCompressSync(text), column],
    [text, { sql: 'SELECT email FROM input' }],
  ] as const
  return [[text, column], ...others.filter((_, index) => isLong || index === turn % others.length)]
}

describe('a list is read as it is written, and gives the same file', () => {
  test.each(TEXTS.map((each, turn) => [...each, turn] as const))('%s', async (_name, text, turn) => {
    const bench = listBench()
    for (const [content, request] of readings(text, turn)) {
      expect(await bench.prepare(content, request)).toMatchObject(FIGURES)
      expect(bench.content()).toBe(CONTENT)
    }
  })

  test('one column, with and without a header', async () => {
    const bench = listBench()
    const column = PEOPLE.map(([, email]) => email)
      .filter(Boolean)
      .join('\n')
    const figures = { ...FIGURES, rows: 5, empty: 0 }
    for (const text of [`email\n${column}`, column, `"E-Mail"\r\n${column}\r\n`]) {
      expect(await bench.prepare(text, { column: 1 })).toMatchObject(figures)
      expect(bench.content()).toBe(CONTENT)
    }
  })

  test('the number of a column, without a header', async () => {
    const bench = listBench()
    const text = rows(',', '\n').slice(rows(',', '\n').indexOf('\n') + 1)
    expect(await bench.prepare(text, { column: 2 })).toMatchObject(FIGURES)
    expect(bench.content()).toBe(CONTENT)
  })
})

describe('Parquet', () => {
  let parquet: Buffer
  beforeAll(async () => {
    parquet = await parquetOf(
      `SELECT unnest(${list(PEOPLE.map(([, email]) => email))}) AS email, 7::DOUBLE AS score, 123456789012345678::BIGINT AS id`,
    )
  })

  test('plain and compressed', async () => {
    const bench = listBench()
    for (const content of [parquet, gzipSync(parquet), zstdCompressSync(parquet)]) {
      expect(await bench.prepare(content, { column: 'email' })).toMatchObject(FIGURES)
      expect(bench.content()).toBe(CONTENT)
    }
    expect(await bench.prepare(parquet, { sql: 'SELECT email FROM input WHERE score > 6' })).toMatchObject(FIGURES)
  })

  test('whole numbers are ids; fractions are refused, because 7 would become 7.0', async () => {
    const bench = listBench()
    await bench.prepare(parquet, { column: 'ID', signal: 'RECORD_ID' })
    expect(bench.content()).toBe('record_id\n123456789012345678\n')
    const ask = (request: Partial<ListRequest>) => bench.prepare(parquet, { signal: 'RECORD_ID', ...request })
    await expect(ask({ column: 'score' })).rejects.toMatchObject({ code: 'list-column-type' })
    await expect(ask({ sql: 'SELECT score FROM input' })).rejects.toMatchObject({ code: 'list-sql' })
  })
})

describe('what is damaged is an error, or counted; it is never left out silently', () => {
  const many = Array.from({ length: 50_000 }, (_, index) => `p${index}@example.com,${index}`)

  test.each([
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
  ])('%s that is cut off', async (_name, compress) => {
    const whole = compress(Buffer.from(`email,n\n${many.join('\n')}\n`))
    const cut = whole.subarray(0, Math.floor(whole.length / 2))
    await expect(listBench().prepare(cut, { column: 'email' })).rejects.toMatchObject({ code: 'list-unreadable' })
  })

  test.each([
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
  ])('%s in several parts is read whole', async (_name, compress) => {
    const parts = [
      compress(Buffer.from(`email,n\n${many.join('\n')}\n`)),
      compress(Buffer.from('last@example.com,1\n')),
    ]
    expect(await listBench().prepare(Buffer.concat(parts), { column: 'email' })).toMatchObject({ keys: 50_001, bad: 0 })
  })

  test('an open quote breaks its own line only', async () => {
    const text = ['email,n', ...many.slice(0, 20), '"open@example.com,1', ...many.slice(20)].join('\n')
    const bench = listBench()
    expect(await bench.prepare(text, { column: 'email' })).toMatchObject({ rows: 50_001, keys: 50_000, bad: 1 })
    expect(await bench.prepare(text, { sql: 'FROM (SELECT email FROM input)' })).toMatchObject({
      rows: 50_001,
      keys: 50_000,
      bad: 1,
    })
  })

  test('lines with too few or too many fields, and lines that are not UTF-8, are bad', async () => {
    const text = Buffer.concat([
      Buffer.from('email,n\na@example.com,1\nb@example.com\nc@example.com,1,2\n'),
      Buffer.from('\xff@example.com,3\n', 'latin1'),
    ])
    expect(await listBench().prepare(text, { column: 'email' })).toMatchObject({ rows: 4, keys: 1, bad: 3 })
  })

  test('lines that are not JSON, and values that are not text or whole numbers, are bad', async () => {
    const lines = [
      '{"k":"a"}',
      '{"k":12}',
      '{"k":1.5}',
      '{"k":[1]}',
      '{"k":true}',
      '{"k":{"a":1}}',
      'nonsense',
      '{"k":',
      '{}',
    ]
    const bench = listBench()
    const figures = await bench.prepare(lines.join('\n'), { column: 'k', signal: 'BGID' })
    expect(figures).toMatchObject({ rows: 9, keys: 2, bad: 6, empty: 1 })
    expect(bench.content()).toBe('bgid\n12\na\n')
  })

  test.each<[string, string | Buffer]>([
    ['an empty file', ''],
    ['blank lines', '\n \n'],
    ['UTF-16', Buffer.from('\ufeffemail\nann@example.com\n', 'utf16le')],
    ['half a Parquet file', Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(1000)])],
  ])('%s', async (_name, content) => {
    await expect(listBench().prepare(content, { column: 'email' })).rejects.toMatchObject({ code: 'list-unreadable' })
  })
})

test.each(FILE_SIGNALS)('the keys of %s are those of the service', async (signal) => {
  const fields = FIELDS[signal] ?? ['id-1', ' id-1', 'with,comma', 'with "quotes"', 'é', '#hash', 'key']
  const bench = listBench()
  const text = `n,it\n${fields.map((field) => `1,${quoted('"')(field)}`).join('\n')}\n`
  await bench.prepare(text, { column: 'it', signal })
  const keys = new Set(fields.map((field) => normaliseKey(signal, field)).filter((key) => key !== undefined))
  const sorted = [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const written = sorted.map((key) => (/[",#]/.test(key) ? quoted('"')(key) : key))
  expect(bench.content()).toBe(`${[signal.toLowerCase(), ...written].join('\n')}\n`)
})

const FIELDS: Partial<Record<FileSignal, readonly string[]>> = {
  EMAIL: [' Ann@Example.com', 'ann@example.com', 'É@example.com', 'ab'.repeat(32), 'nobody'],
  IP: ['10.0.0.1', '::FFFF:10.0.0.1', '2001:DB8:0:0:1:0:0:1', '1::2::3'],
  IDFA: [
    '6D92078A-8246-4BA4-AE5B-76104861E7DC',
    '6d92078a82464ba4ae5b76104861e7dc',
    '00000000-0000-0000-0000-000000000000',
  ],
  AAID: ['6D92078A-8246-4BA4-AE5B-76104861E7DC', 'x'],
  STBID: ['6D92078A-8246-4BA4-AE5B-76104861E7DC', ''],
  ADDRESS: ['12,  Amber-Hill   Rd.\t10001', '12 amber hill rd 10001', ' ., '],
}

test('hashes are hex, and a key and its hash are one', async () => {
  const bench = listBench()
  const hash = 'd1f9a3f2ba56e4d92bc90a9b03dd8bb2ab0b2ed8b02dd5f2db1d8cd4dd9fb9aa'
  await bench.prepare(`email\nAnn@example.com\n${hash.toUpperCase()}\n`, { column: 'email', hash: 'sha256' })
  const ann = createHash('sha256').update('ann@example.com').digest('hex')
  expect(bench.content()).toBe(`email\n${[ann, hash].sort().join('\n')}\n`)
  const both = await bench.prepare(`email\nAnn@example.com\n${ann}\n`, { column: 'email', hash: 'sha256' })
  expect(both).toMatchObject({ rows: 2, keys: 1, duplicates: 1 })
})

function list(values: readonly string[]): string {
  return `[${values.map((value) => `'${value}'`).join(', ')}]`
}
