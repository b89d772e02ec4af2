import { expect, test } from 'vitest'
import { isTextual } from '../../src/lists/parquet-relation.ts'

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
