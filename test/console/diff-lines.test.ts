import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diffLines } from '../../src/console/server/diff-lines.ts'

const SIGNS = { same: ' ', added: '+', removed: '-' }
const shown = (before: string, after: string) =>
  diffLines([...before].join('\n'), [...after].join('\n')).map(({ kind, text }) => SIGNS[kind] + text)

test.each([
  ['abc', 'abc', ''],
  ['abc', 'abxc', ' a  b +x  c'],
  ['abc', 'ac', ' a -b  c'],
  ['abcdefghi', 'abcdeXghi', ' c  d  e -f +X  g  h  i'],
  ['Xbcdefghi', 'abcdefghi', '-X +a  b  c  d'],
  ['aab', 'ab', ' a -a  b'],
  ['abcd', 'xbyd', '-a +x  b -c +y  d'],
  ['abab', 'baba', '-a  b  a  b +a'],
])('%s and %s', (before, after, lines) => {
  expect(shown(before, after).join(' ')).toBe(lines)
})

/** The number of lines that two texts have in common, in order. */
const inCommon = ([a, ...as]: readonly string[], [b, ...bs]: readonly string[]): number => {
  if (a === undefined || b === undefined) return 0
  return a === b ? 1 + inCommon(as, bs) : Math.max(inCommon(as, [b, ...bs]), inCommon([a, ...as], bs))
}

test('law: texts of up to four lines can both be read in it, and it has the fewest changes', () => {
  // There are so few lines that all are within three lines of a change.
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(text, text, (before, after) => {
      fc.pre(before.join() !== after.join())
      const lines = diffLines(before.join('\n'), after.join('\n'))
      const having = (...kinds: string[]) => lines.flatMap(({ kind, text: one }) => (kinds.includes(kind) ? [one] : []))
      expect(having('same', 'removed')).toEqual(before)
      expect(having('same', 'added')).toEqual(after)
      expect(having('same')).toHaveLength(inCommon(before, after))
    }),
  )
})

test('lines have their numbers in both texts', () => {
  expect(diffLines('a\nb\nc', 'a\nx\ny\nc')).toEqual([
    { kind: 'same', text: 'a', before: 1, after: 1 },
    { kind: 'removed', text: 'b', before: 2 },
    { kind: 'added', text: 'x', after: 2 },
    { kind: 'added', text: 'y', after: 3 },
    { kind: 'same', text: 'c', before: 3, after: 4 },
  ])
})

test('two changes in a long text are two changes', () => {
  const before = Array.from({ length: 20_000 }, (_, at) => `line ${at}`)
  const after = before.with(5, 'changed').with(19_990, 'changed too')
  const lines = diffLines(before.join('\n'), after.join('\n'))
  expect(lines).toHaveLength(16)
  expect(lines.filter(({ kind }) => kind !== 'same')).toEqual([
    { kind: 'removed', text: 'line 5', before: 6 },
    { kind: 'added', text: 'changed', after: 6 },
    { kind: 'removed', text: 'line 19990', before: 19_991 },
    { kind: 'added', text: 'changed too', after: 19_991 },
  ])
})

test('long texts without a line in common differ as a whole, at once', () => {
  const text = (name: string) => ['first', ...Array.from({ length: 20_000 }, (_, at) => `${name} ${at}`), 'last']
  const lines = diffLines(text('a').join('\n'), text('b').join('\n'))
  expect([lines[0]?.kind, lines[1]?.kind, lines[20_001]?.kind, lines.at(-1)?.kind, lines.length]).toEqual([
    'same',
    'removed',
    'added',
    'same',
    40_002,
  ])
})
