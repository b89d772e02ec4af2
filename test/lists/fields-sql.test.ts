import { expect, test } from 'vitest'
import { csvDialect } from '../../src/lists/csv-dialect.ts'
import { csvColumn, fieldPointer, fieldsSql } from '../../src/lists/fields-sql.ts'
import type { ListInput } from '../../src/lists/list-input.ts'
import type { Sandbox } from '../../src/lists/sandbox.ts'

const SANDBOX = {} as Sandbox
const csv = (text: string, cut?: string) =>
  ({ format: 'csv', given: 'list.csv', dialect: csvDialect(text), cut }) as ListInput & { readonly format: 'csv' }

test.each([
  ['its name', 'n,Email\n1,a@x.test\n', 'Email', { index: 1, hasHeader: true }],
  ['its name in other letters', 'n, EMAIL\u00a0\n1,a@x.test\n', 'email', { index: 1, hasHeader: true }],
  [
    'its exact name, though another is alike',
    'Email,email\na@x.test,b@x.test\n',
    'email',
    { index: 1, hasHeader: true },
  ],
  ['its number, below a header', 'n,Kunde\n1,a@x.test\n', 2, { index: 1, hasHeader: true }],
  ['its number, without a header', '1,a@x.test\n2,b@x.test\n', 2, { index: 1, hasHeader: false }],
])('a column is found by %s', (_how, text, column, found) => {
  expect(csvColumn(csv(text), { column, signal: 'EMAIL' })).toEqual(found)
})

const NONE = 'list.csv has no column'

test.each([
  ['a name that is not there', csv('n,mail\n'), 'email', `${NONE} "email": it has 2 columns`],
  ['a number beyond the last', csv('n,mail\n'), 3, `${NONE} 3: it has 2 columns`],
  ['a number beyond the only one', csv('mail\n'), 2, `${NONE} 2: it has 1 column`],
  ['a name that two have', csv('EMail,Email\n'), 'email', 'list.csv has 2 columns named "email"'],
  ['a name where nobody looked', csv('n,mail', 'it goes on'), 'email', 'list.csv cannot be read: it goes on'],
])('a column that is not found says why: %s', (_what, input, column, message) => {
  expect(() => csvColumn(input, { column, signal: 'EMAIL' })).toThrow(message)
})

test('a column whose beginning was seen is found, wherever the row ends', () => {
  expect(csvColumn(csv('n,mail', 'it goes on'), { column: 'mail', signal: 'EMAIL' })).toMatchObject({ index: 1 })
})

test('objects have names: a number is no column of theirs', async () => {
  const input = { format: 'ndjson', given: 'list.json' } as ListInput
  await expect(fieldsSql(input, { column: 1, signal: 'EMAIL' }, SANDBOX)).rejects.toThrow(
    'list.json has no column 1: the fields of its objects have names, not numbers',
  )
})

test('a name may have the signs of a path', () => {
  expect(fieldPointer(`a/b~c'd`)).toBe(`'/a~1b~0c''d'`)
})
