import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { roundedTo } from '../../src/expressions/format-text.ts'
import { evaluateText, failureOf, scope } from './evaluate-text.ts'

/** The conformance suite covers each clause; these are cases that it leaves out. */
describe('format', () => {
  test.each([
    ['"100%%: %s".format(["done"])', '100%: done'],
    ['"%s %s".format([inputs.nested, inputs.nothing])', '{list: [{a: 1}, {a: 2}]} null'],
    ['"%s".format([{"b": [], "a": {}}])', '{a: {}, b: []}'],
    ['"%s %s".format([now(), duration("1h0.25s")])', '2026-03-01T03:30:00Z 3600.25s'],
    ['"%d %x %X %o %b".format([-10, -10, 255, -8, -5])', '-10 -a FF -10 -101'],
    ['"%x".format(["ü"])', 'c3bc'],
    ['"%f %.0f %.2e".format([3, 3, 12345])', '3.000000 3 1.23e+04'],
    ['"%s and no more".format([1, 2, 3])', '1 and no more'],
    ['"".format([])', ''],
  ])('%s', (source, text) => {
    expect(evaluateText(source, scope)).toBe(text)
  })

  test.each([
    ['"%d".format([1.5])', '%d takes an integer, but this is a number'],
    ['"%f".format(["a"])', '%f takes a number, but this is a string'],
    ['"%b".format(["a"])', '%b takes an integer or a boolean, but this is a string'],
    ['"%s %s".format([1])', 'format() has fewer values than the text has clauses'],
    ['"50% of %s".format([1])', 'a percent sign is %%'],
    ['"%.2d".format([1])', 'a clause of format() is'],
    ['"%.21f".format([1.0])', 'at most 20 digits'],
    ['"%".format([1])', 'a percent sign is %%'],
    ['"%s".format("a")', 'format() does not take a string as its values'],
  ])('%s: %s', (source, message) => {
    expect(failureOf(source, scope).message).toContain(message)
  })

  test('repeats a text without clauses, and writes any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const inputs = { text, escaped: text.replaceAll('%', '%%') }
        expect(evaluateText('inputs.escaped.format([])', { inputs })).toBe(text)
        expect(evaluateText('"%s".format([inputs.text])', { inputs })).toBe(text)
      }),
    )
  })
})

describe('a rounded number', () => {
  test.each([
    [0, 0.5, '0'],
    [0, 1.5, '2'],
    [0, -2.5, '-2'],
    [1, 0.25, '0.2'],
    [1, 0.35, '0.3'],
    [2, 1.005, '1.00'],
    [2, 1e21, '1000000000000000000000.00'],
    [0, 1e22, '10000000000000000000000'],
    [20, 0.1, '0.10000000000000000555'],
  ])('with %i digits, %d is %s', (digits, value, text) => {
    expect(roundedTo(digits, value, { exponent: false })).toBe(text)
  })

  test.each([
    [0, 2.5, '2e+00'],
    [0, 35, '4e+01'],
    [2, 1e100, '1.00e+100'],
    [1, 0, '0.0e+00'],
    [1, -1.25e-7, '-1.2e-07'],
  ])('with %i digits and an exponent, %d is %s', (digits, value, text) => {
    expect(roundedTo(digits, value, { exponent: true })).toBe(text)
  })

  test('is as near as its digits allow', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.integer({ min: 0, max: 6 }), (value, digits) => {
        const rounded = Number(roundedTo(digits, value, { exponent: false }))
        expect(Math.abs(rounded - value)).toBeLessThanOrEqual(0.5 * 10 ** -digits * (1 + 1e-9))
      }),
    )
  })
})
