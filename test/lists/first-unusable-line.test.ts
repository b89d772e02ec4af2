import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { csvDialect } from '../../src/lists/csv-dialect.ts'
import { firstUnusableLine } from '../../src/lists/first-line-with.ts'
import type { ListInput } from '../../src/lists/list-input.ts'
import type { OptOutColumn } from '../../src/lists/opt-out-column.ts'
import { tempFolder } from '../support/temp-folder.ts'

const GOOD = '{"email":"a@x.test"}\n{"more":1,"email":" "}\n\n{"email":null}\n'

test.each([
  ['none', '', undefined],
  ['one that is no JSON', '{"email":', 5],
  ['one that is not an object', '"a@x.test"', 5],
  ['one that is nothing', 'null', 5],
  ['one without the column', '{"mail":"a@x.test"}', 5],
  ['one without a key', '{"email":"a"}', 5],
])('the first line of NDJSON that says nobody: %s', async (_what, line, number) => {
  expect(await unusableLine(`${GOOD}${line}\n{"email":"b@x.test"}\n`, { format: 'ndjson' })).toEqual(
    number && { line: number, isOpen: false },
  )
})

test('the first line of NDJSON counts, too', async () => {
  expect(await unusableLine('[]\n{"email":"a@x.test"}\n', { format: 'ndjson' })).toEqual({ line: 1, isOpen: false })
})

const HEADER = '\n"email",note\na@x.test,\n\n ,x\n'

test.each([
  ['none', HEADER, 'email', undefined],
  ['an address that is none', `${HEADER}a,\n`, 'email', 6],
  ['a field too few', `${HEADER}a@x.test\n`, 'email', 6],
  ['a field too many', `${HEADER}a@x.test,x,y\n`, 'email', 6],
  ['a quote that stays open', `${HEADER}a@x.test,"x\n`, 'email', 6, true],
  ['a quote before the key that stays open', 'note,email\n"x,a@x.test\n', 'email', 2, true],
  ['a quote that is closed within its field', 'email,note\n"a@x.test"x,y\n', 'email', 2],
  ['what is not UTF-8', Buffer.from(`${HEADER}a@x.test,\xfc\n`, 'latin1'), 'email', 6],
  ['one below a header of two lines', '"no\nte",email\nx,a\n', 'email', 3],
  ['a key behind the mark of a file that was added', `${HEADER}\ufeffb@x.test,\n`, 'email', undefined],
  ['one below a header that names nothing', 'Contact,note\na,\n', 1, 2],
  ['one below keys without a header', 'a@x.test,\na,\n', 1, 2],
  ['the first of all', 'a,1\nb@x.test,2\n', 2, 1],
])('the first line of CSV that says nobody: %s', async (_what, content, column, number, isOpen = false) => {
  const dialect = csvDialect(content.toString())
  expect(await unusableLine(content, { format: 'csv', dialect }, column)).toEqual(number && { line: number, isOpen })
})

test('rows of Parquet have no lines', async () => {
  expect(await unusableLine('PAR1', { format: 'parquet' })).toBeUndefined()
})

async function unusableLine(content: string | Uint8Array, format: object, column: string | number = 'email') {
  const path = join(tempFolder(), 'opt-outs')
  writeFileSync(path, content)
  const input = { path, ...format } as ListInput
  const optOut: OptOutColumn = { column, signal: 'EMAIL', allowed: ['EMAIL'], proof: 'configured' }
  return firstUnusableLine(input, optOut, new AbortController().signal)
}
