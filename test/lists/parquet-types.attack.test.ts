import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listBench, parquetOf } from './list-bench.ts'

/*
 * A Parquet file has types that text files do not have. Whatever types the lists and opt-out files have, nobody who
 * opted out may be in the list.
 */

/** How a column contains the key `e`, and the result for it as an e-mail address and as an id. */
const TYPES: readonly (readonly [name: string, sql: string, email: Outcome, id: Outcome])[] = [
  ['text', 'e', 'read', 'read'],
  ['bytes', 'e::BLOB', 'read', 'read'],
  ['a whole number', 'e::BIGINT', undefined, 'read'],
  ['an unsigned one', 'e::UBIGINT', undefined, 'read'],
  ['a decimal without places', 'e::DECIMAL(18, 0)', undefined, 'read'],
  ['a decimal with places', 'e::DECIMAL(18, 2)', undefined, 'refused'],
  ['a number of 128 bits', 'e::HUGEINT', undefined, 'refused'],
  ['a floating one', 'e::DOUBLE', undefined, 'refused'],
  ['a short floating one', 'e::FLOAT', undefined, 'refused'],
  ['a list', '[e]', 'refused', 'refused'],
  ['a list of lists', '[[e]]', 'refused', 'refused'],
  ['a record', '{key: e}', 'refused', 'refused'],
  ['a map', 'MAP {e: e}', 'refused', 'refused'],
  ['JSON', 'to_json(e)', 'refused', 'refused'],
  ['bytes that are not UTF-8', "unhex('FEFF') || e::BLOB", 'refused', 'refused'],
  ['nothing', 'NULL', 'refused', 'refused'],
]
type Outcome = 'read' | 'refused' | undefined

const KEYS = { email: ['p1@x.test', 'p2@x.test'], id: ['7000001', '7000002'] } as const
const SIGNALS = { email: 'EMAIL', id: 'RECORD_ID' } as const

const cases = TYPES.flatMap(([name, sql, email, id]) =>
  Object.entries({ email, id }).flatMap(([column, outcome]) =>
    outcome === undefined ? [] : [{ name, sql, column: column as keyof typeof KEYS, outcome }],
  ),
)

const columnOf = (sql: string, column: string, keys: readonly string[]) =>
  parquetOf(`SELECT ${sql} AS ${column} FROM (VALUES ${keys.map((key) => `('${key}')`).join(', ')}) AS t(e)`)

/** Prepares a list of two people; the first one opted out. */
async function prepared(column: keyof typeof KEYS, list: string | Buffer, optOuts: string | Buffer) {
  const file = join(listBench().base, 'opt-outs')
  writeFileSync(file, optOuts)
  const signal = SIGNALS[column]
  const bench = listBench({ suppress: [{ file, column, signal }] })
  return bench.prepare(list, { column, signal }).then(
    () => bench.content().split('\n').slice(1, -1),
    (error: { code: string }) => error.code,
  )
}

describe.each(cases)('$column as $name', ({ sql, column, outcome }) => {
  const [gone, stays] = KEYS[column]
  const text = (...keys: readonly string[]) => `${[column, ...keys].join('\n')}\n`

  test('in a list', async () => {
    const result = await prepared(column, await columnOf(sql, column, [gone, stays]), text(gone))
    expect(result).toEqual(outcome === 'read' ? [stays] : expect.stringMatching(/^list-/))
  })

  test('in opt-outs', async () => {
    const result = await prepared(column, text(gone, stays), await columnOf(sql, column, [gone]))
    expect(result).toEqual(outcome === 'read' ? [stays] : 'opt-outs-unusable')
  })
})
