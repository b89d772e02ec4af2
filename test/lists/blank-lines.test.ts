import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { ListRequest } from '../../src/lists/list-request.ts'
import { listBench } from './list-bench.ts'

const COLUMN = { column: 'email' } as const
const SQL = { sql: 'SELECT email FROM input' } as const
const EMPTY = 'a@x.test\n""\n"b@x.test"\n'

test.each<[string, string, object]>([
  ['in a file of one column', 'email\na@x.test\n\nb@x.test\n\n\n', { rows: 2, keys: 2, empty: 0 }],
  ['of blanks', 'email\na@x.test\n  \n\t\n\u00a0\u200b\nb@x.test\n', { rows: 2, keys: 2, empty: 0 }],
  ['with line ends of Windows', 'email\r\na@x.test\r\n\r\n \r\nb@x.test\r\n\r\n', { rows: 2, keys: 2, empty: 0 }],
  ['before the header and after it', '\n \nemail\n\na@x.test\nb@x.test\n', { rows: 2, keys: 2, empty: 0 }],
  ['in quotes: a row without a value', `email\n${EMPTY}`, { rows: 3, keys: 2, empty: 1 }],
  ['in quotes, and beside a line that is broken', `email\n${EMPTY}"c\n\n \n`, { rows: 4, keys: 2, empty: 1, bad: 1 }],
  [
    'in a file of two columns',
    'email,n\na@x.test,1\n\n  \n\u3000\nb@x.test,2\n \t\n',
    { rows: 2, keys: 2, empty: 0, bad: 0 },
  ],
  [
    'of delimiters: rows without a value',
    'email,n\na@x.test,1\n,\n,,\nb@x.test,2\n',
    { rows: 4, keys: 2, empty: 2, bad: 0 },
  ],
  ['of blanks and a value: a row', 'email,n\na@x.test,1\n  ,2\nb@x.test,3\n', { rows: 3, keys: 2, empty: 1, bad: 0 }],
  ['beside a line that is broken', 'email,n\na@x.test,1\n  \n"b@x.test,2\n \n', { rows: 2, keys: 1, bad: 1 }],
  [
    'in NDJSON',
    '{"email":"a@x.test"}\n\n  \n\u00a0\n{"email":"b@x.test"}\n{}\n',
    { rows: 3, keys: 2, empty: 1, bad: 0 },
  ],
])('a blank line is no row: %s', async (_what, text, figures) => {
  const requests: Partial<ListRequest>[] = text.startsWith('{') ? [COLUMN] : [COLUMN, SQL]
  for (const request of requests)
    for (const content of [text, gzipSync(text)])
      expect(await listBench().prepare(content, request)).toMatchObject(figures)
})

test('it is not a key in an opt-out list either', async () => {
  const bench = listBench()
  expect(await bench.prepare('id\nS1\n\n \nS2\n', { column: 'id', signal: 'RECORD_ID' })).toMatchObject({
    rows: 2,
    keys: 2,
  })
})
