import fc from 'fast-check'
import { expect, test } from 'vitest'
import { filePattern } from '../../../src/triggers/watch/file-pattern.ts'
import { mayMatchSame } from '../../../src/triggers/watch/may-match-same.ts'
import { tries } from '../../support/tries.ts'

test.each([
  ['*.csv', '*.csv', true],
  ['*.csv', 'a*.csv', true],
  ['*.csv', '*.txt', false],
  ['*.csv', '*.CSV', false],
  ['a*', '*b', true],
  ['a*.csv', 'b*.csv', false],
  ['[a-m]*', '[n-z]*', false],
  ['[!a]*', 'a*', false],
  ['[!a]*', '[!b]*', true],
  ['{x,y}.csv', '{y,z}.csv', true],
  ['{x,y}.csv', '{v,z}.csv', false],
  ['?', '??', false],
  ['.x', '.x', false],
  ['[.]*', '*', false],
  ['{,a}', '{,b}', false],
  ['[z-a]', '*', false],
])('%s and %s: %s', (one, other, expected) => {
  expect(mayMatchSame(one, other)).toBe(expected)
  expect(mayMatchSame(other, one)).toBe(expected)
})

const ALPHABET = ['a', 'b', '.']
const NAMES = Array.from({ length: 6 }).reduce<string[][]>(
  (lengths) => [...lengths, (lengths.at(-1) ?? []).flatMap((name) => ALPHABET.map((one) => name + one))],
  [['']],
)
const ALL = NAMES.flat()

test('two patterns may match the same if a name of any length says so', () => {
  const token = fc.constantFrom('a', 'b', '.', '*', '?', '[ab]', '[!a]', '[!.]', '{a,b}', '{a,}', '{ab,.}', '{*,b}')
  const pattern = fc.array(token, { minLength: 1, maxLength: 3 }).map((tokens) => tokens.join(''))
  fc.assert(
    fc.property(pattern, pattern, (one, other) => {
      const [a, b] = [filePattern(one), filePattern(other)]
      expect(mayMatchSame(one, other)).toBe(ALL.some((name) => a.matches(name) && b.matches(name)))
    }),
    { numRuns: tries(300, 5000) },
  )
})

test('patterns that are long count as overlapping, because to tell takes long', () => {
  expect(mayMatchSame('*a'.repeat(25), '*b'.repeat(25))).toBe(false)
  expect(mayMatchSame('*a'.repeat(500), '*b'.repeat(500))).toBe(true)
})
