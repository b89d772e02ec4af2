import { expect, test } from 'vitest'
import { listBench } from './list-bench.ts'

test.each([
  ["id,email\n'1','ann@example.com'\n'2','bob@example.com'\n", 'email'],
  ["id;email\n'1';'ann@example.com'\n2;'bob@example.com'\n", 'email'],
  ["email\n'ann@example.com'\n'bob@example.com'\n", 'email'],
  ["email\n'ann@example.com'\n'bob@example.com'\n", 1],
  ["\"id\",\"email\"\n'1','ann@example.com'\n'2','bob@example.com'\n", 'email'],
  ["'id','email'\n1,ann@example.com\n2,bob@example.com\n", 'email'],
])('single quotes are taken off whatever the header has: %j', async (text, column) => {
  const bench = listBench()
  expect(await bench.prepare(text, { column })).toMatchObject({ rows: 2, keys: 2, bad: 0 })
  expect(bench.content()).toBe('email\nann@example.com\nbob@example.com\n')
})

test.each([
  ['email,name\nann@example.com,Ann\n\'bob@example.com\',"Bob"\n', { column: 'email' }],
  [
    "email\nann@example.com\ncia@example.com\ndan@example.com\n 'bob@example.com'\n",
    { sql: 'SELECT email FROM input' },
  ],
])('a value that is still in quotes is bad, and no key: %j', async (text, request) => {
  const bench = listBench()
  expect(await bench.prepare(text, request)).toMatchObject({ bad: 1 })
  expect(bench.content()).not.toContain('bob')
})

test('an id in quotes is bad if the file does not quote its other values', async () => {
  const bench = listBench()
  const text = `'a'\n'b'\n"c"\n`
  await expect(bench.prepare(text, { column: 1, signal: 'RECORD_ID' })).resolves.toMatchObject({ keys: 1, bad: 2 })
})

test('an id that a query gives in quotes is bad, too', async () => {
  const request = { sql: 'SELECT id FROM input', signal: 'RECORD_ID' } as const
  for (const text of [`id\na\n"'b'"\n`, `id,name\na,Ann\n"""b""",Bob\n`])
    expect(await listBench().prepare(text, request)).toMatchObject({ keys: 1, bad: 1 })
})

test.each([
  'email,note\n"ann@example.com\n",x\nbob@example.com,y\n',
  'email,note\r\n"ann@example.com\r\n",x\r\nbob@example.com,y\r\n',
  'email,note\n"\nann@example.com",x\nbob@example.com,y\n',
  'note,email\nx,"ann@example.com\n"\ny,bob@example.com\n',
  'note,email\nx,"\n\nann@example.com \n"\ny,bob@example.com\n',
  'email\n"ann@example.com\n"\nbob@example.com\n',
])('a line break at an end of a key in quotes is a blank, and its record one row: %j', async (text) => {
  const bench = listBench()
  expect(await bench.prepare(text, { column: 'email' })).toMatchObject({ rows: 2, keys: 2, bad: 0 })
})

test.each(['email\n"ann@example.com\nbob@example.com"\n', 'email,note\n"ann@example.com\nbob@example.com",x\n'])(
  'a line break between keys still makes both lines bad: %j',
  async (text) => {
    const more = text.includes('note') ? 'cia@example.com,y\n' : 'cia@example.com\n'
    expect(await listBench().prepare(text + more, { column: 'email' })).toMatchObject({ rows: 3, keys: 1, bad: 2 })
  },
)

test.each([
  ['many lines with quotes', '\n""'.repeat(600_000)],
  ['many blanks within', `\nx${' '.repeat(1_000_000)}x`],
])('a long record is read in one pass: %s', async (_what, more) => {
  // Reading the same text again for each line or space would take many minutes.
  const text = `email,note\nbob@example.com,b\ncia@example.com,c\nann@example.com,"a${more}"\n`
  expect(await listBench().prepare(text, { column: 'email' })).toMatchObject({ rows: 3, keys: 3, bad: 0 })
})
