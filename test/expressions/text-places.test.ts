import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCodePoint } from '../support/any-code-point.ts'
import { evaluateText, failureOf } from './evaluate-text.ts'

describe('places in a text', () => {
  test.each([
    ['"abc".charAt(0) + "abc".charAt(2) + "abc".charAt(3)', 'ac'],
    ['"a😀b".charAt(1)', '😀'],
    ['"a😀b".charAt(2)', 'b'],
    ['"a😀b".substring(1, 2)', '😀'],
    ['"a😀b".substring(2)', 'b'],
    ['"a😀b".indexOf("b")', 2n],
    ['"a😀b".indexOf("x")', -1n],
    ['"\\u0085 a\\ufeff ".trim()', 'a\ufeff'],
    ['["a", "b"].existsOne(x, x == "a")', true],
  ])('%s', (source, value) => {
    expect(evaluateText(source)).toEqual(value)
  })

  test.each(['"abc".charAt(4)', '"abc".charAt(-1)', '"😀".charAt(2)', '"😀".substring(0, 2)', '"abc".substring(2, 1)'])(
    '%s is outside',
    (source) => {
      expect(failureOf(source).message).toContain('the position is outside the text')
    },
  )

  test('count characters', () => {
    const text = fc.string({ unit: anyCodePoint })
    fc.assert(
      fc.property(text, fc.nat(20), fc.nat(20), (value, a, b) => {
        const characters = [...value]
        const [start, end] = [a, b].map((place) => Math.min(place, characters.length)).sort((x, y) => x - y)
        const inputs = { value, start: BigInt(start!), end: BigInt(end!) }
        expect(evaluateText('inputs.value.substring(inputs.start, inputs.end)', { inputs })).toBe(
          characters.slice(start, end).join(''),
        )
        expect(evaluateText('inputs.value.charAt(inputs.start)', { inputs })).toBe(characters[start!] ?? '')
        const place = evaluateText('inputs.value.indexOf(inputs.value.substring(inputs.start))', { inputs })
        expect(Number(place)).toBeLessThanOrEqual(start!)
      }),
    )
  })
})
