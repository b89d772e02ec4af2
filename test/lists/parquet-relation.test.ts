import { expect, test } from 'vitest'
import { isTextual, parquetColumns } from '../../src/lists/parquet-relation.ts'
import type { Sandbox } from '../../src/lists/sandbox.ts'

const WHOLE = ['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT']

test.each(['VARCHAR', 'UUID', ...WHOLE, ...WHOLE.map((type) => `U${type}`), 'DECIMAL(18,0)', "ENUM('a', 'b\n)')"])(
  'values of %j have one text',
  (type) => {
    expect(isTextual(type)).toBe(true)
  },
)

test.each(['DOUBLE', 'FLOAT', 'DECIMAL(18,2)', 'DECIMAL(18,10)', 'BLOB', 'DATE', 'BOOLEAN'])(
  'values of %j do not',
  (type) => {
    expect(isTextual(type)).toBe(false)
  },
)

test.each(['VARCHAR[]', 'INTEGER[2]', 'STRUCT(a VARCHAR)', 'MAP(VARCHAR, INTEGER)'])('nor do several: %j', (type) => {
  expect(isTextual(type)).toBe(false)
})

/**
 * What DuckDB reports about a file: its columns, and the elements of its schema with the number of children of each.
 */
function fileWith(columns: readonly string[], schema: readonly (readonly [string, number?])[]): Sandbox {
  const answers = [
    columns.map((name) => ({ name, type: 'VARCHAR' })),
    schema.map(([name, children = null]) => ({ name, children })),
  ]
  return { rows: async () => answers.shift() ?? [] } as unknown as Sandbox
}

test('columns have the names of the file, whatever is within those before them', async () => {
  const file = fileWith(
    ['email', 'by', 'tags', 'Email_1', 'n'],
    [
      ['schema', 5],
      ['email'],
      ['by', 2],
      ['email'],
      ['at', 1],
      ['place'],
      ['tags', 1],
      ['list', 1],
      ['element'],
      ['Email'],
      ['n'],
    ],
  )
  const columns = await parquetColumns(file, '/list.parquet')
  expect(columns.map(({ name, column }) => [name, column])).toEqual([
    ['email', 'email'],
    ['by', 'by'],
    ['tags', 'tags'],
    ['Email', 'Email_1'],
    ['n', 'n'],
  ])
})
