import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonSchema } from '../../src/core/json-schema.ts'
import { toExpressionValue, toInput } from '../../src/expressions/values.ts'

const schema: JsonSchema = {
  type: 'object',
  properties: {
    id: { type: 'string', format: 'int64' },
    count: { type: 'integer' },
    cpm: { type: ['number', 'null'] },
    name: { type: 'string' },
    rate: { enum: [0, 30] },
    members: { type: 'array', items: { type: 'integer' } },
    ids: { type: 'array', items: { type: 'string', format: 'int64' } },
  },
}

describe('memory and expressions', () => {
  test.each([
    ['a 64-bit id', { id: '9007199254740993' }, { id: 9007199254740993n }],
    ['an integer', { count: 3 }, { count: 3n }],
    ['a number', { cpm: 3 }, { cpm: 3 }],
    ['null', { cpm: null }, { cpm: null }],
    ['digits in a name', { name: '123' }, { name: '123' }],
    ['one of some numbers', { rate: 30 }, { rate: 30n }],
    ['lists', { members: [1, 2], ids: ['3'] }, { members: [1n, 2n], ids: [3n] }],
  ])('%s goes there and back', (_name, memory, expression) => {
    expect(toExpressionValue(schema, memory)).toEqual(expression)
    expect(toInput(schema, expression)).toEqual(memory)
  })

  test('makes integers of what the schema does not describe, and leaves the rest', () => {
    expect(toExpressionValue(schema, { other: [1, 1.5, { deep: 2 }], text: '1' })).toEqual({
      other: [1n, 1.5, { deep: 2n }],
      text: '1',
    })
  })

  test('refuses an integer that a number cannot hold', () => {
    expect(() => toInput(schema, { count: 9007199254740993n })).toThrow(
      expect.objectContaining({ code: 'integer-too-large', kind: 'invalid' }),
    )
  })

  test('keeps members whatever they are called', () => {
    const odd = JSON.parse('{ "__proto__": 1, "constructor": 2 }')
    const mapped = toExpressionValue(schema, odd)
    expect(Object.keys(mapped as object)).toEqual(['__proto__', 'constructor'])
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test('gives back every 64-bit id', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (id) => {
        expect(toInput(schema, toExpressionValue(schema, { id: String(id) }))).toEqual({ id: String(id) })
      }),
    )
  })
})
