import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ListRequest } from '../../src/lists/list-request.ts'
import { listBench, parquetOf } from './list-bench.ts'

const SQL = { sql: 'SELECT email FROM input' } as const
const IDS = { sql: 'SELECT id FROM input', signal: 'RECORD_ID' } as const

/** Prepares one list of several files. */
async function together(contents: readonly (string | Uint8Array)[], request: Partial<ListRequest>) {
  const { base } = listBench()
  for (const [index, content] of contents.entries()) writeFileSync(join(base, `part-${index}`), content)
  const bench = listBench({ sources: { all: { kind: 'path', path: join(base, 'part-*') } } })
  const figures = await bench.prepareFile('', { from: { source: 'all' }, ...request })
  return { ...figures, of: bench.content().split('\n').slice(1, -1) }
}

/** A Parquet file with two columns of these names, which DuckDB would not write. */
async function parquetNamed(first: string, second: string): Promise<Buffer> {
  const made = await parquetOf(`SELECT 'a@x.test' AS first, 'b@x.test' AS other, {'first': 1, 'x': 2} AS nested`)
  const renamed = made.toString('latin1').replaceAll('first', first).replaceAll('other', second)
  return Buffer.from(renamed, 'latin1')
}

test.each([
  ['CSV', 'email,email\na@x.test,b@x.test\n'],
  ['CSV, in other capitals', 'Email,EMAIL\na@x.test,b@x.test\n'],
  ['CSV, with a blank that does not break', '\u00a0email,n,email\na@x.test,1,b@x.test\n'],
  ['NDJSON', '{"Email":"a@x.test"}\n{"email":"b@x.test"}\n'],
  ['NDJSON, in one object', '{"Email":"a@x.test","email":"b@x.test"}\n'],
  ['NDJSON, with a blank', '{" email":"a@x.test"}\n{"email":"b@x.test"}\n'],
])('a query that names one of two columns of a name is refused: %s', async (_format, text) => {
  for (const sql of [SQL.sql, 'SELECT i."EMAIL" FROM input i', 'SELECT count(*)::VARCHAR FROM input WHERE email > 1'])
    await expect(listBench().prepare(text, { sql })).rejects.toMatchObject({
      code: 'list-no-column',
      message: expect.stringMatching(/has 2 columns named "email"$/),
    })
})

test.each([
  ['at its end', 'n,email,email\n1,a@x.test,b@x.test\n', 'SELECT n FROM input ORDER BY email', 'email'],
  ['with a number', '{"e_1":"a@x.test","E_1":"b@x.test"}\n', 'SELECT e_1 FROM input', 'e_1'],
  ['at its beginning', 'from,from\n1,2\n', 'FROM (SELECT x FROM input AS i(x, y))', 'from'],
])('a query names a column wherever the name stands: %s', async (_where, text, sql, name) => {
  await expect(listBench().prepare(text, { sql })).rejects.toMatchObject({
    message: expect.stringMatching(`has 2 columns named "${name}"$`),
  })
})

test('an id in quotes that a query gives is bad, if one of the files is CSV', async () => {
  const files = [`id\na\n"'b'"\n`, '{"id":"c"}\n']
  expect(await together(files, IDS)).toMatchObject({ bad: 1, of: ['a', 'c'] })
})

test('of two columns of one name in Parquet, none is chosen', async () => {
  const refused = { code: 'list-no-column', message: expect.stringMatching(/has 2 columns named "email"$/) }
  const same = await parquetNamed('email', 'email')
  for (const request of [SQL, { column: 'email' }])
    await expect(listBench().prepare(same, request)).rejects.toMatchObject(refused)
  const bench = listBench()
  await bench.prepare(same, { column: 2 })
  expect(bench.content()).toBe('email\nb@x.test\n')
  const capitals = await parquetNamed('email', 'Email')
  await expect(bench.prepare(capitals, SQL)).rejects.toMatchObject(refused)
  await expect(bench.prepare(capitals, { column: 'EMAIL' })).rejects.toMatchObject({ code: 'list-no-column' })
  await bench.prepare(capitals, { column: 'Email' })
  expect(bench.content()).toBe('email\nb@x.test\n')
})

test.each([
  ['CSV', 'email,note,Note\na@x.test,1,2\n', SQL],
  ['NDJSON', '{"email":"a@x.test","note":1}\n{"email":null,"Note":2}\n', SQL],
  ['the second by its number', 'email,email\nb@x.test,a@x.test\n', { sql: 'SELECT email_2 FROM input' }],
  ['a name within others', 'email,mail,mail\na@x.test,1,2\n', SQL],
  ['a column that is called as a second one', 'mail,mail,mail_2\n1,2,a@x.test\n', { sql: 'SELECT mail_2 FROM input' }],
  ['a column without a name', 'n,,m\n1,a@x.test,2\n', { sql: 'SELECT column_2 FROM input' }],
  ['columns without names', ',,email\n1,2,a@x.test\n', SQL],
])('two columns of a name that the query does not name are no matter: %s', async (_what, text, request) => {
  const bench = listBench()
  await bench.prepare(text, request)
  expect(bench.content()).toBe('email\na@x.test\n')
})

test('a column of another file is the same column, if only one has the name there', async () => {
  const twice = 'email,email\na@x.test,b@x.test\n'
  await expect(together(['email\nc@x.test\n', twice], SQL)).rejects.toMatchObject({ code: 'list-no-column' })
  const other = { 'EMAIL,n\na@x.test,1\n': 1, '{"Email":"b@x.test"}\n': 2 }
  expect(await together([...Object.keys(other), 'email\nc@x.test\n'], SQL)).toMatchObject({ keys: 3, empty: 0 })
  const files = ['{"Email":"a@x.test"}\n', '{"email":"b@x.test"}\n']
  await expect(together(files, SQL)).rejects.toMatchObject({ code: 'list-no-column' })
  expect(await together(files, { column: 'email' })).toMatchObject({ keys: 2, empty: 0 })
})

test('ids of NDJSON stay as they are written, whatever they look like', async () => {
  const uuid = '6D92078A-8246-4BA4-AE5B-76104861E7DC'
  const line = `{"id":"${uuid}","UUID":{"UUID":"${uuid}"},"all":["${uuid}"],"since":"2026-01-02"}\n`
  for (const sql of [
    IDS.sql,
    'SELECT "UUID"."UUID" FROM input',
    'SELECT "all"[1] FROM input WHERE year(since) = 2026',
  ]) {
    const bench = listBench()
    await bench.prepare(line, { ...IDS, sql })
    expect(bench.content()).toBe(`record_id\n${uuid}\n`)
  }
  const ids = ['2026-1-2', '12:30', uuid]
  const lines = ids.map((id) => JSON.stringify({ id })).join('\n')
  expect(await together(['id\n007\n', lines], IDS)).toMatchObject({ of: ['007', ...ids].sort() })
  for (const id of ids.slice(0, 2))
    expect(await together(['id\n007\n', JSON.stringify({ id })], IDS)).toMatchObject({ of: ['007', id] })
})

test.each<[string, string | (() => Promise<Buffer>)]>([
  ['NDJSON', '{"id":9007199254740993}\n{"id":1e3}\n'],
  ['Parquet', () => parquetOf('SELECT 7::DOUBLE AS id')],
  ['decimals', () => parquetOf('SELECT 7::DECIMAL(18,2) AS id')],
])('fractions of one file do not become the text of another: %s', async (_format, content) => {
  const other = typeof content === 'string' ? content : await content()
  for (const text of ['id\n007\n', await parquetOf(`SELECT '007' AS id`)])
    await expect(together([text, other], IDS)).rejects.toMatchObject({
      code: 'list-column-type',
      message: expect.stringMatching(/^column "id" of .*part-1 is \w+.*, but in another file of the list it is text$/),
    })
  const named = { sql: 'SELECT n FROM input', signal: 'RECORD_ID' } as const
  expect(await together(['id,n\n007,k\n', other], named)).toMatchObject({ keys: 1 })
})

test('whole numbers of one file are the text of another', async () => {
  const number = await parquetOf('SELECT 9007199254740993::BIGINT AS id')
  const lines = '{"id":18446744073709551615}\n'
  expect(await together(['id\n007\n', number, lines], IDS)).toMatchObject({
    of: ['007', '18446744073709551615', '9007199254740993'],
  })
  const decimals = await parquetOf('SELECT 8::DECIMAL(18,0) AS id')
  expect(await together(['id\n007\n', decimals], IDS)).toMatchObject({ of: ['007', '8'] })
})

test.each([
  [
    'has two fields of the name',
    '{"email":"a@x.test","email":"b@x.test"}',
    'one of its objects has two fields with the same name',
  ],
  ['is a list', '["a@x.test"]', 'one of its lines is not an object'],
  ['is cut off', '{"email":"a@x', 'line 3 is not one JSON object'],
  ['has two objects', '{"email":"a@x.test"}{"email":"b@x.test"}', 'line 3 is not one JSON object'],
])('a query says why it cannot read NDJSON: a line %s', async (_how, line, why) => {
  const bench = listBench()
  const uuid = '6D92078A-8246-4BA4-AE5B-76104861E7DC'
  for (const field of ['', `,"id":"${uuid}"`])
    await expect(
      bench.prepare(`{"email":"z@x.test"${field}}\n\n${line}\n{"email":"y@x.test"}\n`, SQL),
    ).rejects.toMatchObject({ code: 'list-unreadable', message: `${bench.file} cannot be read: ${why}` })
})
