import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, test } from 'vitest'
import { statementsOf } from '../../../src/service/storage/statement.ts'

describe('statement', () => {
  let db: DatabaseSync
  beforeEach(() => {
    db = new DatabaseSync(':memory:')
    return () => db.close()
  })

  test('binds by name, whatever the order and however often a name stands in it', () => {
    const select = statementsOf(db)('SELECT :b AS one, :a AS two, :b AS three')
    expect(select.get({ a: 'a', b: 2n })).toEqual({ one: 2, two: 'a', three: 2 })
  })

  test.each([
    [true, 1],
    [false, 0],
    [undefined, null],
    [null, null],
    ['', ''],
  ])('takes %j for %j', (value, bound) => {
    expect(statementsOf(db)('SELECT :value AS value').get({ value })).toEqual({ value: bound })
  })

  test('does not run without a value for every name', () => {
    expect(() => statementsOf(db)('SELECT :value AS value').get({ valeu: 1 })).toThrow(':value')
  })
})
