import { expect, test } from 'vitest'
import type { CsvDialect } from '../../src/lists/csv-dialect.ts'
import { wrongFirst } from '../../src/lists/opt-out-column.ts'

const WRONG = { line: 1, why: 'line 1 is neither a key nor a header', rows: 0 }

test.each([
  [1, ['a@x.com', '<b>'], undefined],
  [2, ['<b>', 'a@x.com'], undefined],
  [1, ['<b>', 'a@x.com'], WRONG],
  [2, ['a@x.com', '<b>'], WRONG],
])('of keys in column %i the first record %j is judged by that column', (column, first, wrong) => {
  const dialect = { first, before: 0 } as unknown as CsvDialect
  expect(wrongFirst(dialect, { column, signal: 'EMAIL', allowed: ['EMAIL'], proof: 'configured' })).toEqual(wrong)
})
