import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listBench } from './list-bench.ts'

const EMAIL = { column: 'email' } as const
const LAST = '{"email":"z@x.test"}\n'

test.each([
  ['twice', '{"email":"a@x.test","email":"b@x.test"}'],
  ['twice with one value', '{"email":"a@x.test","email":"a@x.test"}'],
  ['once with an escape', String.raw`{"em\u0061il":"a@x.test","email":"b@x.test"}`],
  ['in other capitals, twice', '{"Email":"a@x.test","EMAIL":"b@x.test"}'],
  ['with invisible characters, twice', '{"em\u200bail":"a@x.test","emai\u200bl":"b@x.test"}'],
])('an object that has the field %s is a bad row', async (_how, object) => {
  const bench = listBench()
  expect(await bench.prepare(`${object}\n${LAST}`, EMAIL)).toMatchObject({ rows: 2, keys: 1, bad: 1 })
  expect(bench.content()).toBe('email\nz@x.test\n')
})

test.each([
  ['the exact name', '{"Email":"b@x.test","email":"a@x.test","EMAIL":"c@x.test"}'],
  ['other capitals', '{"EMail":"a@x.test"}'],
  ['blanks at its ends', '{" email\u00a0":"a@x.test"}'],
  ['another field twice', '{"n":1,"email":"a@x.test","n":2}'],
  ['a byte order mark before the object', `\ufeff{"email":"a@x.test"}`],
])('the field of an object is found with %s', async (_how, object) => {
  const bench = listBench()
  expect(await bench.prepare(`${LAST}${object}\n`, EMAIL)).toMatchObject({ rows: 2, keys: 2, empty: 0, bad: 0 })
  expect(bench.content()).toBe('email\na@x.test\nz@x.test\n')
})

test.each(['[{"email":"a@x.test"}]', '["a@x.test"]', '"a@x.test"', '7', 'true', 'null'])(
  'a line that is JSON but not an object is a bad row: %s',
  async (line) => {
    expect(await listBench().prepare(`${LAST}${line}\n`, EMAIL)).toMatchObject({ rows: 2, keys: 1, empty: 0, bad: 1 })
    expect(await listBench().prepare(`{"0":"z@x.test"}\n${line}\n`, { column: '0' })).toMatchObject({ keys: 1, bad: 1 })
  },
)

test('an id with a line break is bad: a line of a list is one key', async () => {
  const bench = listBench()
  const ids = ['a\nb', 'a\rb', 'c'].map((id) => JSON.stringify({ id })).join('\n')
  expect(await bench.prepare(ids, { column: 'id', signal: 'RECORD_ID' })).toMatchObject({ keys: 1, bad: 2 })
  expect(bench.content()).toBe('record_id\nc\n')
})

test('a person who opted out after a byte order mark stays out, and an address in another column of that line is seen', async () => {
  const bench = listBench()
  const optOuts = join(bench.base, 'opt-outs')
  const { prepare, content } = listBench({ suppress: [optOuts] })
  writeFileSync(optOuts, `${LAST}\ufeff{"email":"a@x.test","n":1}\n`)
  expect(await prepare('email\na@x.test\nb@x.test\n', EMAIL)).toMatchObject({ suppressed: 1 })
  expect(content()).toBe('email\nb@x.test\n')
  writeFileSync(optOuts, `${LAST}\ufeff{"email":"a@x.test","n":"b@x.test"}\n`)
  await expect(prepare('email\na@x.test\nb@x.test\n', EMAIL)).rejects.toMatchObject({ code: 'opt-outs-unusable' })
})
