import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { splitTemplate } from '../../src/expressions/split-template.ts'

const shown = (text: string) =>
  splitTemplate(text).map((piece) =>
    piece.kind === 'text'
      ? piece.text
      : piece.kind === 'expression'
        ? [piece.source, piece.start]
        : `open ${piece.start}`,
  )

describe('a text with expressions', () => {
  test.each([
    ['', []],
    ['plain {{ x }} $ {', ['plain {{ x }} $ {']],
    ['${{ a }}', [['a', 4]]],
    [
      '${{a}}${{ b }}',
      [
        ['a', 3],
        ['b', 10],
      ],
    ],
    ['x ${{ a }} y', ['x ', ['a', 6], ' y']],
    ['${{ {"a": {"b": 1}} }}', [['{"a": {"b": 1}}', 4]]],
    ['${{ "}}" + \'}}\' }}', [['"}}" + \'}}\'', 4]]],
    ['${{ "\\"}}" }}!', [['"\\"}}"', 4], '!']],
    ['${{ r"\\" + "}}" }}', [['r"\\" + "}}"', 4]]],
    ['${{ """}}"" """ }}', [['"""}}"" """', 4]]],
    ['${{ a }', ['open 0']],
    ['x ${{ "a }}', ['x ', 'open 2']],
    ['${{}}', [['', 3]]],
    ['$${{ a }}', ['$', ['a', 5]]],
  ])('%s', (text, pieces) => {
    expect(shown(text)).toEqual(pieces)
  })

  test('is cut without losing anything', () => {
    const text = fc.string({
      unit: fc.constantFrom('$', '{', '}', '"', "'", '\\', 'a', ' ', '${{', '}}'),
      maxLength: 30,
    })
    fc.assert(
      fc.property(text, (value) => {
        let at = 0
        for (const piece of splitTemplate(value)) {
          expect(piece.start).toBeGreaterThanOrEqual(at)
          if (piece.kind === 'text') expect(value.startsWith(piece.text, piece.start)).toBe(true)
          if (piece.kind === 'expression') expect(value.slice(piece.start, piece.end)).toBe(piece.source)
          at = piece.kind === 'text' ? piece.start + piece.text.length : piece.end
        }
        expect(at).toBeLessThanOrEqual(value.length)
      }),
    )
  })
})
