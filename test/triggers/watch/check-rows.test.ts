import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RowCheck } from '../../../src/triggers/watch/check-rows.ts'

type Rule = ConstructorParameters<typeof RowCheck>[0]

const EMAIL: Rule = { signal: 'EMAIL', minimumShare: 0.9 }
const ANY: Rule = { minimumShare: 0.9 }

function check(content: string | Buffer, rule: Rule, chunkBytes = 1 << 20): string | undefined {
  const rows = new RowCheck(rule)
  const bytes = Buffer.from(content)
  for (let at = 0; at < bytes.length; at += chunkBytes) rows.add(bytes.subarray(at, at + chunkBytes))
  return rows.end()
}

test.each<[string, string | Buffer, Rule, string | undefined]>([
  ['a header and rows', 'email\na@b.c\n', EMAIL, undefined],
  ['rows without a header', 'a@b.c\nd@e.f', EMAIL, undefined],
  ['a byte order mark, quotes and CRLF', '\ufeff"a@b.c",1\r\n"d@e.f"\r\n', EMAIL, undefined],
  ['ends of lines of old', 'a@b.c\rd@e.f\r', EMAIL, undefined],
  ['blank lines', '\n\n \na@b.c\n\n', EMAIL, undefined],
  ['hashes', `${'aB'.repeat(32)}\n`, EMAIL, undefined],
  ['exactly enough rows', `${'a@b.c\n'.repeat(9)}no\n`, EMAIL, undefined],
  [
    'one row too few',
    `${'a@b.c\n'.repeat(8)}no\n"no\n`,
    EMAIL,
    '8 of its 10 rows (80 %) are of the signal EMAIL, and 90 % have to be; not so lines 9, 10',
  ],
  [
    'a share that rounds up to enough',
    `${'a@b.c\n'.repeat(8999)}${'no\n'.repeat(1001)}`,
    EMAIL,
    expect.stringMatching(/^8999 of its 10000 rows \(89\.9 %\) .* lines 9000, 9001, .* and 981 more$/),
  ],
  ['anything where there is no signal', 'whatever\n"broken\n', ANY, undefined],
  ['no text, on some lines', Buffer.from('a\n\xff\nb\n\xfe', 'latin1'), ANY, 'it is not UTF-8 text: lines 2, 4'],
  [
    'a line that is too long',
    `a@b.c\n${'x'.repeat(5_000_000)}\nd@e.f\n`,
    EMAIL,
    'it is no CSV, a line of it has more than 2097152 bytes: line 2',
  ],
  ['one line that is too long and never ends', 'x'.repeat(5_000_000), ANY, expect.stringContaining(': line 1')],
])('%s', (_what, content, rule, problem) => {
  expect(check(content, rule)).toEqual(problem)
})

describe('pieces', () => {
  test('a file is judged the same however it is cut', () => {
    const line = fc.constantFrom('a@b.c', 'ä@ö.ü', 'no', '', '"a@b.c",1', '"', '😀')
    const lines = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 12 })
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 7 }), (parts, chunkBytes) => {
        const content = parts.flat().join('')
        expect(check(content, EMAIL, chunkBytes)).toBe(check(content, EMAIL))
      }),
      { numRuns: 500 },
    )
  })
})
