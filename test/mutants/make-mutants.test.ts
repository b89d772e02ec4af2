import { expect, test } from 'vitest'
import { makeMutants } from './make-mutants.ts'

/** The changes of a source, one per line. */
function changesOf(source: string): string[] {
  return makeMutants(source).map(({ start, end, text }) => source.slice(0, start) + text + source.slice(end))
}

test.each([
  ['if (a) b = 1', ['if (true) b = 1', 'if (false) b = 1', 'if (a) ;', 'if (a) b = 0']],
  ['c(a && b || d)', [';', 'c((a && b))', 'c(d)', 'c(a || d)', 'c(b || d)']],
  [
    'const ä = x <= y - (1 + z)',
    [
      'const ä = x < y - (1 + z)',
      'const ä = x <= y + (1 + z)',
      'const ä = x <= y - (1 - z)',
      'const ä = x <= y - (0 + z)',
    ],
  ],
  ['async () => { await f() }', [';', 'async () => { ; }', 'async () => { f() }']],
  ["q('SELECT a FROM b WHERE c = 1 AND d IS NULL')", expect.arrayContaining([expect.stringContaining('OR d IS NULL')])],
  ["import { a } from 'b'\ntype C = 1 | 2", []],
])('%s', (source, changes) => {
  expect(changesOf(source)).toEqual(changes)
})

test('a change that stands in no function is used by all of the file', () => {
  const source = 'const most = 2\nfunction f() { return () => most + 2 }'
  const [constant, ...inside] = makeMutants(source)
  const [outer, inner] = [source.indexOf(' return'), source.indexOf('most + 2')]
  expect(constant?.usedBy).toEqual([{ start: outer }, { start: inner, end: inner + 8 }])
  for (const { usedBy } of inside) expect(usedBy).toEqual([])
})
