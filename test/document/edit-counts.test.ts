import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { editCounts } from '../../src/document/edit-counts.ts'

const edit = (text: string, counts: Record<string, number>) => editCounts(text, [{ path: ['a', 0, 'writes'], counts }])

const list = (writes: string) => `# above\na:\n  - writes: ${writes} # beside\n    live: { x: 1 }\n`

test.each([
  ['{ b: 1, c.d: 2 }', { b: 3, 'c.d': 2 }, '{ b: 3, c.d: 2 }'],
  ['{b: 1,   "c.d":   2}', { b: 1, 'c.d': 7 }, '{b: 1,   "c.d":   7}'],
  ['{ b: 1, c: 2 }', { c: 2 }, '{ c: 2 }'],
  ['{ b: 1, c: 2 }', { b: 1 }, '{ b: 1 }'],
  ['{ b: 1, c: 2, d: 3 }', { c: 2, e: 9 }, '{ c: 2, e: 9 }'],
  ['{ b: 1 }', {}, '{}'],
  ['{}', { b: 1, c: 2 }, '{ b: 1, c: 2 }'],
  ['{ b: 0, c: 2 }', { c: 1 }, '{ b: 0, c: 1 }'],
  ['{ b: 1 }', { c: 2 }, '{ c: 2 }'],
  ['{ b: 1 }', { b: 1, c: 2 }, '{ b: 1, c: 2 }'],
])('%s becomes %j as it is written', (before, counts, after) => {
  expect(edit(list(before), counts)).toMatchObject({ text: list(after) })
  expect([...edit(list(before), counts).made.values()]).toEqual([3])
})

test.each([
  [{ b: 1, c: 5 }, '      b: 1 # one\n      # between\n      c: 5\n'],
  [{ c: 2 }, '      # between\n      c: 2\n'],
  [{ b: 4, d: 1 }, '      b: 4 # one\n      d: 1\n      # between\n'],
  [{}, '      {}\n'],
])('a pair a line becomes %j', (counts, after) => {
  const before = '      b: 1 # one\n      # between\n      c: 2\n'
  const around = (lines: string) => `a:\n  - writes:\n${lines}    live: { x: 1 }\n`
  expect(edit(around(before), counts).text).toBe(around(after))
  expect(edit(around(before).replaceAll('\n', '\r\n'), counts).text).toBe(around(after).replaceAll('\n', '\r\n'))
  expect(edit(`\uFEFF${around(before)}`, counts).text).toBe(`\uFEFF${around(after)}`)
})

test('a flow over several lines gets further lines', () => {
  const before = 'a:\n  - writes:\n      {\n        b: 1, # one\n        c: 2,\n      }\n'
  expect(edit(before, { b: 1, c: 3, d: 4 }).text).toBe(before.replace('c: 2,', 'c: 3,\n        d: 4,'))
})

test.each([
  'x: &same { b: 1 }\na: [{ writes: *same }]\n',
  'a:\n  - writes: &same { b: 1 }\n  - writes: *same\n',
  'a:\n  - &same { writes: { b: 1 } }\n  - *same\n',
])('what stands in several places is refused', (text) => {
  const { text: same, made } = edit(text, { b: 2 })
  expect(same).toBe(text)
  expect(made.size).toBe(0)
})

const counts = fc.dictionary(fc.stringMatching(/^[a-e](\.[a-c])?$/), fc.integer({ min: 1, max: 99 }), { maxKeys: 5 })
const layout = fc.constantFrom('flow', 'block', 'lines', 'tight')

function written(layouted: string, values: Record<string, number>): string {
  const pairs = Object.entries(values).map(([key, value]) => `${key}: ${value}`)
  if (pairs.length === 0) return '{}'
  switch (layouted) {
    case 'flow':
      return `{ ${pairs.join(', ')} } # kept`
    case 'tight':
      return `{${pairs.join(',')}}`
    case 'lines':
      return `\n      {\n${pairs.map((pair) => `        ${pair}, # of ${pair}\n`).join('')}      }`
    default:
      return `\n      # kept\n${pairs.map((pair) => `      ${pair} # of ${pair}`).join('\n')}`
  }
}

test('whatever the counts are and how they are written, only they change, and each edit does', () => {
  fc.assert(
    fc.property(counts, layout, counts, layout, counts, counts, (one, as, two, asToo, wanted, wantedToo) => {
      const text = (first: string, second: string) =>
        `# top\na:\n  - it: "x: y" # kept\n    writes: ${first}\n    after: [1,  2]\n  - writes: ${second}\n# end\n`
      const before = text(written(as, one), written(asToo, two))
      const { text: after, made } = editCounts(before, [
        { path: ['a', 0, 'writes'], counts: wanted },
        { path: ['a', 1, 'writes'], counts: wantedToo },
      ])
      expect(made.size).toBe(2)
      expect(parse(after)).toEqual({ a: [{ it: 'x: y', writes: wanted, after: [1, 2] }, { writes: wantedToo }] })
      const others = (from: string) => from.split('\n').filter((line) => /^#|it:|after:/.test(line))
      expect(others(after)).toEqual(others(before))
      const same = editCounts(after, [{ path: ['a', 0, 'writes'], counts: wanted }])
      expect(same.text).toBe(after)
    }),
  )
})
