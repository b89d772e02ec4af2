import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { csvDialect } from '../../src/lists/csv-dialect.ts'
import { firstLineWith } from '../../src/lists/first-line-with.ts'
import type { ListInput } from '../../src/lists/list-input.ts'
import { tempFolder } from '../support/temp-folder.ts'

test.each<[string, string | Uint8Array, number, number | undefined]>([
  ['none', 'n,who\n1,x\n', 2, undefined],
  ['the first of all, though it may be a header', 'n,a@x.test\n1,b@x.test\n', 2, 1],
  ['one in another column', 'n,who\na@x.test,x\n', 2, undefined],
  ['one behind a line with too few fields', 'n,who\n1\n2,a@x.test\n', 2, 3],
  ['one behind bytes that are not UTF-8', Buffer.from('n,who\n1,\xfc@x.test\n2,a@x.test\n', 'latin1'), 2, 3],
  ['one behind blank lines', '\n\nn,who\n1,a@x.test\n', 2, 4],
  ["none in Excel's line about the sign", 'sep=|\nn|who\n', 1, undefined],
])('the first line of CSV with such a field: %s', async (_what, content, column, number) => {
  expect(await lineWith(content, { format: 'csv', dialect: csvDialect(content.toString()) }, column)).toBe(number)
})

test.each<[string, string, string, number | undefined]>([
  ['a text', '{"who":"x"}\n{"who":"a@x.test"}\n', 'who', 2],
  ['none in another field', '{"by":"a@x.test","who":1}\n', 'who', undefined],
  ['one deeper, behind nothing', '{"who":{"by":[null,"a@x.test"]}}\n', 'who', 1],
  ['a name within', '{"who":{"a@x.test":true}}\n', 'who', 1],
  ['the name itself', '{"a@x.test":null}\n', 'a@x.test', 1],
  ['one behind lines that are no objects', 'null\n"a@x.test"\n{"who":\n\n{"who":"a@x.test"}\n', 'who', 5],
  ['none in a text, which has no fields', '"a@x.test"\n', '1', undefined],
])('the first line of NDJSON with such a field: %s', async (_what, content, column, number) => {
  expect(await lineWith(content, { format: 'ndjson' }, column)).toBe(number)
})

test('rows of Parquet have no lines', async () => {
  expect(await lineWith('{"who":"a@x.test"}\n', { format: 'parquet' }, 'who')).toBeUndefined()
})

async function lineWith(content: string | Uint8Array, format: object, column: number | string) {
  const path = join(tempFolder(), 'list')
  writeFileSync(path, content)
  const isSuch = (field: string) => /@|sep=/.test(field)
  return firstLineWith({ path, ...format } as ListInput, column, isSuch, new AbortController().signal)
}
