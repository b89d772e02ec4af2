import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { evaluateText, failureOf } from './evaluate-text.ts'

describe('functions on numbers', () => {
  test.each([
    ['sum([])', 0n],
    ['sum([1, 2, -4])', -1n],
    ['sum([0.5, 0.25])', 0.75],
    ['sum([9223372036854775807, 1, -1])', 9223372036854775807n],
    ['min([3, -1, 2])', -1n],
    ['max([1.5, -2.0])', 1.5],
    ['min([1, 0.5])', 0.5],
    ['max([7])', 7n],
    ['abs(-3)', 3n],
    ['abs(2.5 - 5.0)', 2.5],
    ['round(2.5)', 3n],
    ['round(-2.5)', -3n],
    ['round(2.4999)', 2n],
    ['round(0.49999999999999994)', 0n],
    ['round(4503599627370497.5)', 4503599627370498n],
    ['round(-0.2)', 0n],
    ['round(7)', 7n],
  ])('%s', (source, value) => {
    expect(evaluateText(source)).toEqual(value)
  })

  test.each([
    ['sum([9223372036854775807, 1])', 'the integer does not fit in 64 bits'],
    ['sum([1e308, 1e308])', 'the sum is too large for a number'],
    ['sum([1, 0.5])', 'sum() does not mix integers and numbers; convert them: list.map(n, double(n))'],
    ['sum(["1"])', 'sum() takes a list of numbers'],
    ['min([0.0 / 0.0])', 'min() takes a list of numbers'],
    ['min([])', 'min() needs a list that is not empty'],
    ['max([])', 'max() needs a list that is not empty'],
    ['abs(-9223372036854775808)', 'the integer does not fit in 64 bits'],
    ['round(1e19)', 'the integer does not fit in 64 bits'],
    ['round(0.0 / 0.0)', 'the integer does not fit in 64 bits'],
    ['int(-9223372036854775808.0)', 'the integer does not fit in 64 bits'],
  ])('%s: %s', (source, message) => {
    expect(failureOf(source).message).toContain(message)
  })

  test('are what JavaScript computes, in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1 }), (numbers) => {
        const evaluate = (name: string, list: number[]) =>
          evaluateText(`${name}(inputs.l)`, { inputs: { l: list.map(BigInt) } })
        expect(evaluate('sum', numbers)).toBe(BigInt(numbers.reduce((a, b) => a + b, 0)))
        expect(evaluate('sum', numbers.toReversed())).toBe(evaluate('sum', numbers))
        expect(evaluate('min', numbers)).toBe(BigInt(Math.min(...numbers)))
        expect(evaluate('max', numbers)).toBe(BigInt(Math.max(...numbers)))
      }),
    )
  })

  test('round to an integer at most a half away, alike on both sides of 0', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e9, max: 1e9, noNaN: true }), (number) => {
        const rounded = evaluateText('round(inputs.d)', { inputs: { d: number } })
        expect(Math.abs(Number(rounded) - number)).toBeLessThanOrEqual(0.5)
        expect(evaluateText('-round(-inputs.d)', { inputs: { d: number } })).toBe(rounded)
      }),
    )
  })
})
