import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MAX_PATTERN } from '../../../src/core/name-pattern.ts'
import { filePattern } from '../../../src/triggers/watch/file-pattern.ts'
import { tries } from '../../support/tries.ts'

test.each<[string, readonly string[], readonly string[]]>([
  ['*.csv', ['a.csv', 'ä b.csv', 'a.b.csv'], ['a.CSV', 'a.csv.tmp', 'csv', '.a.csv', '.csv']],
  ['*', ['a', 'a.csv'], ['.a']],
  ['.*', [], ['.a', 'a']],
  ['day-??.csv', ['day-01.csv', 'day-é😀.csv'], ['day-1.csv', 'day-001.csv']],
  ['[a-c]*.{csv,tsv}', ['a.csv', 'cc.tsv'], ['d.csv', 'a.txt', '].csv']],
  ['[!a-c].csv', ['d.csv', '^.csv'], ['a.csv']],
  ['a+(b).csv', ['a+(b).csv'], ['aab.csv']],
  ['[].csv', ['[].csv'], ['a.csv']],
  ['{a,b*}-[0-9].csv', ['a-1.csv', 'bcd-2.csv'], ['c-1.csv', 'a-x.csv']],
])('%s', (pattern, matching, others) => {
  const { matches } = filePattern(pattern)
  expect(matching.filter((name) => !matches(name))).toEqual([])
  expect(others.filter((name) => matches(name))).toEqual([])
})

/** The former implementation of file patterns: simple, and exponential. */
function asExpression(pattern: string): RegExp {
  const sourceOf = (part: string): string =>
    part.replace(
      /\[(!?)([^\]]+)\]|\{([^{}]*)\}|./gsu,
      (token, not: string | undefined, set?: string, choices?: string) => {
        if (set !== undefined) return `[${not ? '^' : ''}${set.replace(/[\\^[\]|{}()]/g, '\\$&')}]`
        if (choices !== undefined) return `(?:${choices.split(',').map(sourceOf).join('|')})`
        if (token === '*') return '.*'
        if (token === '?') return '.'
        return token.replace(/[\\^$.*+?()[\]{}|/]/u, '\\$&')
      },
    )
  return new RegExp(`^(?:${sourceOf(pattern)})$`, 'su')
}

const text = (characters: string, maxLength: number) => fc.string({ unit: fc.constantFrom(...characters), maxLength })

test('every pattern matches what the same regular expression matches', () => {
  fc.assert(
    fc.property(
      text('ab*?*[]{}{!-,.^$\\é😀', 10),
      fc.array(text('aabb-!,.]^é😀', 6), { maxLength: 20 }),
      (pattern, names) => {
        const old = readOr(() => asExpression(pattern))
        const now = readOr(() => filePattern(pattern))
        expect(now instanceof SyntaxError).toBe(old instanceof SyntaxError)
        if (old instanceof SyntaxError || now instanceof SyntaxError) return
        for (const name of names)
          expect([name, now.matches(name)]).toEqual([name, !name.startsWith('.') && old.test(name)])
      },
    ),
    { numRuns: tries(2000, 100_000) },
  )
})

function readOr<T>(read: () => T): T | SyntaxError {
  try {
    return read()
  } catch (error) {
    if (error instanceof SyntaxError) return error
    throw error
  }
}

// The regular expressions of most of these take longer than a lifetime.
test.each([
  '*a*a*a*a*a*a*a*a*a*a*a*a*b',
  `${'*'.repeat(MAX_PATTERN - 1)}b`,
  `${'*a'.repeat(MAX_PATTERN / 2 - 1)}b`,
  `${'{a*,aa*}'.repeat(100)}b`,
  `{${'a*,'.repeat(300)}b}b`,
  `${'{a,a,}'.repeat(150)}b`,
  `${'[!b-z]*'.repeat(140)}b`,
  '*_*_*_*.csv',
])('a hostile pattern is answered all the same: %s', (pattern) => {
  for (const name of ['a'.repeat(255), '_'.repeat(255), `${'a'.repeat(254)}b`]) {
    expect(filePattern(pattern).matches(`${name}!`)).toBe(false)
    filePattern(pattern).unseenDifferences(name)
  }
})

test('a pattern that is longer than any name is refused', () => {
  expect(() => filePattern('a'.repeat(MAX_PATTERN + 1))).toThrow(SyntaxError)
})

test.each<[string, readonly string[], readonly string[]]>([
  ['*.csv', ['LIST.CSV', 'list.Csv', 'list.csv'], ['list.tsv', '.LIST.CSV']],
  ['List-[a-c]*.{csv,TXT}', ['LIST-B.CSV', 'list-c.txt'], ['LIST-D.CSV']],
  ['é*.csv', ['É.CSV'], ['e.csv']],
  [
    'éx*.csv',
    ['e\u0301x.csv', 'e\u0301x 1.csv', 'éx.csv ', ' éx.csv', 'éx\u200b.csv', 'E\u0301X.CSV\u00a0'],
    ['ex.csv', '. éx.csv'],
  ],
  ['e\u0301x.csv', ['éx.csv'], ['ex.csv']],
  ['list.csv ', ['list.csv'], ['list .csv']],
])('%s without what people do not see: %j', (pattern, matching, others) => {
  const { matches, unseenDifferences } = filePattern(pattern)
  expect(matching.filter((name) => !matches(name) && unseenDifferences(name).length === 0)).toEqual([])
  expect(others.filter((name) => unseenDifferences(name).length > 0)).toEqual([])
})

test('the differences that nobody sees are named', () => {
  expect(filePattern('éx.csv').unseenDifferences('E\u0301x.csv ')).toEqual([
    'upper and lower case',
    'the Unicode form of its letters',
    'blanks at its ends, or invisible characters',
  ])
})
