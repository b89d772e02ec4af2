import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RowCheck } from '../../src/contract/row-check.ts'

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
    '8 of its 10 rows (80 %) begin with a key of the signal EMAIL, but at least 90 % must; the others: lines 9, 10',
  ],
  [
    'a share that rounds up to enough',
    `${'a@b.c\n'.repeat(8999)}${'no\n'.repeat(1001)}`,
    EMAIL,
    expect.stringMatching(/^8,999 of its 10,000 rows \(89\.9 %\) .* lines 9000, 9001, .* and 981 more$/),
  ],
  [
    'the key in another column',
    'id,"the, address",name\n1,a@b.c,x\n2,"d@e.f",y\n3,g@h.i\n',
    EMAIL,
    '0 of its 3 rows (0 %) begin with a key of the signal EMAIL, but at least 90 % must; the others: lines 2, 3, 4; ' +
      'column 2 looks like EMAIL; the key must be in the first column',
  ],
  ['a header and no rows', 'email\n\n', EMAIL, 'it has a header and no rows'],
  ['any text where no share is needed', 'email\nno\n', { signal: 'EMAIL', minimumShare: 0 }, undefined],
  ['anything where there is no signal', 'whatever\n"broken\n', ANY, undefined],
  ['no text, on some lines', Buffer.from('a\n\xff\nb\n\xfe', 'latin1'), ANY, 'it is not UTF-8 text: lines 2, 4'],
  [
    'a line that is too long',
    `a@b.c\n${'x'.repeat(5_000_000)}\nd@e.f\n`,
    EMAIL,
    'it is not CSV: more than 2,097,152 bytes in line 2',
  ],
  ['one line that is too long and never ends', 'x'.repeat(5_000_000), ANY, expect.stringContaining(' in line 1')],
])('%s', (_what, content, rule, problem) => {
  expect(check(content, rule)).toEqual(problem)
})

test.each([
  ['with a header', 'email\na@b.c\nd@e.f\n', 2],
  ['without a header', 'a@b.c\nd@e.f', 2],
  ['with blank lines and rows that do not fit', '\nemail\n\na@b.c\nno\n \n', 2],
])('counts rows without the header: %s', (_what, content, rows) => {
  const check = new RowCheck(EMAIL)
  check.add(Buffer.from(content))
  check.end()
  expect(check.rows).toBe(rows)
})

test.each<[Rule['signal'], string, string]>([
  ['EMAIL', 'smtp:a@b.c', 'd@e.f'],
  ['EMAIL', 'Ann <a@b.c>', 'd@e.f'],
  ['EMAIL', '"a@b.c', 'd@e.f'],
  ['EMAIL', 'a@b', 'd@e.f'],
  ['EMAIL', `${'ab'.repeat(32)}0`, 'd@e.f'],
  ['IP', '10.0.0.1.', '10.0.0.1'],
  ['IP', '[2001:db8::1]', '10.0.0.1'],
  ['IDFA', '{6d92078a-8246-4ba4-ae5b-76104861e7dc}', '6d92078a-8246-4ba4-ae5b-76104861e7dc'],
])('a first row of %s whose key is damaged, %j, is a row, not a header', (signal, first, other) => {
  const check = new RowCheck({ signal, minimumShare: 0.9 } as Rule)
  check.add(Buffer.from(`${first}\n${other}\n`))
  expect(check.end()).toMatch(/^1 of its 2 rows \(50 %\) begin with a key .* the others: line 1/)
  expect(check.rows).toBe(2)
})

test.each<[string, string]>([
  ['EMAIL', 'E-Mail (work), 2026'],
  ['EMAIL', 'user.email_sha256'],
  ['IP', 'ip: v4'],
  ['IP', 'client.ip,time'],
  ['IDFA', 'Device-Id 1'],
  ['AAID', 'added,faced'],
])('a first line of %s that names columns, %j, is a header', (signal, first) => {
  const check = new RowCheck({ signal, minimumShare: 0.9 } as Rule)
  check.add(Buffer.from(`${first}\n`))
  expect(check.end()).toBe('it has a header and no rows')
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

test.each([EMAIL, ANY])('a line of many blanks is looked at in one pass', (rule) => {
  // Checking again at each space would block the process for many minutes.
  const blanks = ' '.repeat(1_000_000)
  const content = `\u00a0${blanks}a@b.c${blanks}\nx${blanks}é\n`
  expect(check(content, { ...rule, minimumShare: 0.5 })).toBe(undefined)
})
