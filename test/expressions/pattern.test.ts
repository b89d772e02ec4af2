import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { patternMatches, patternProblem } from '../../src/expressions/pattern.ts'

const found = (pattern: string, text: string): boolean => patternMatches(pattern, text, () => {})

describe('matching', () => {
  test.each([
    ['^seg-[0-9]+$', 'seg-0042', true],
    ['^seg-[0-9]+$', 'seg-', false],
    ['b', 'abc', true],
    ['^b', 'abc', false],
    ['a|^$', '', true],
    ['^(ab|cd)*$', 'abcdab', true],
    ['^(ab|cd)*$', 'abc', false],
    ['^a{2,3}$', 'aaaa', false],
    ['^a{2,}$', 'aaaa', true],
    ['^a{2}$', 'aa', true],
    ['^(?:a?){3}a{3}$', 'aaa', true],
    ['^[^a-c\\d]+$', 'xyz', true],
    ['^[^a-c\\d]+$', 'xy1', false],
    ['^[]a]+$', ']a', true],
    ['^[a-]+$', 'a-', true],
    ['^\\w+@\\w+\\.\\w{2,}$', 'a@example.com', true],
    ['\\bcat\\b', 'a cat sat', true],
    ['\\bcat\\b', 'concat', false],
    ['^\\s{5}$', ' \t\n\f\r', true],
    ['\\s', '\v', false],
    ['^.$', '😀', true],
    ['^[😀-😂]$', '😁', true],
    ['^.$', '\n', false],
    ['^\\$\\{\\}$', '${}', true],
    ['', 'anything', true],
    ['()', '', true],
    ['(a*)*', 'b', true],
  ])('%s in %j: %s', (pattern, text, matches) => {
    expect(patternProblem(pattern)).toBeUndefined()
    expect(found(pattern, text)).toBe(matches)
  })

  test('agrees with the RegExp of JavaScript', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '\\w', '^', '$', '\\b')
    const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
      pattern: fc.oneof(
        { maxDepth: 4 },
        atom,
        fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => a + b),
        fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(${a}|${b})`),
        fc
          .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{0,2}', '{2}', '{1,}', '*?', '+?'))
          .map(([a, quantifier]) => `(?:${a})${quantifier}`),
      ),
    }))
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', '😀'), maxLength: 8 })
    fc.assert(
      fc.property(pattern, text, (source, input) => {
        expect(found(source, input)).toBe(new RegExp(source, 'u').test(input))
      }),
      { numRuns: 500 },
    )
  })
})

describe('what is no pattern', () => {
  test.each([
    ['(a', ') is missing'],
    ['a)', ') without ('],
    ['[a', 'it ends too early'],
    ['*a', '* has nothing to repeat'],
    ['a**', '* cannot follow a repetition'],
    ['a{3,2}', '{3,2} is the wrong way round'],
    ['a{x}', '{ does not begin a repetition such as {2,5}; write \\{ for the character'],
    ['[z-a]', 'z-a is the wrong way round'],
    ['(?=a)', 'a group that begins with (? must begin with (?:'],
    ['(a)\\1', '\\1 is not known'],
    ['\\p{L}', '\\p is not known'],
    ['(((a{99}){99}){99}){99}', 'it repeats too much'],
    ['('.repeat(30), 'it is nested too deeply'],
    ['a'.repeat(600), 'it is longer than 500 characters'],
  ])('%s', (pattern, problem) => {
    expect(patternProblem(pattern)).toBe(`not a valid regular expression: ${problem}`)
  })

  test('is a sentence, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab()[]{}|*+?^$\\.,-1d') }), (pattern) => {
        const problem = patternProblem(pattern)
        expect(problem === undefined || problem.startsWith('not a valid regular expression: ')).toBe(true)
      }),
    )
  })
})
