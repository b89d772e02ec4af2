import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { AudienceError } from '../../src/core/errors.ts'
import { csvDialect } from '../../src/lists/csv-dialect.ts'
import type { ListInput } from '../../src/lists/list-input.ts'
import { type KeyColumn, readListInputs } from '../../src/lists/read-inputs.ts'
import type { Sandbox } from '../../src/lists/sandbox.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** A sandbox whose DuckDB could read every line. */
const sandbox = { rowsIfAny: async () => [] } as unknown as Sandbox
const EMAIL: KeyColumn = { column: 'email', signal: 'EMAIL' }
const FIRST: KeyColumn = { column: 1, signal: 'EMAIL' }
/** For a query, which can take the keys from anywhere. */
const ANYWHERE: KeyColumn = { column: undefined, signal: 'EMAIL' }
const IDS: KeyColumn = { column: 'id', signal: 'RECORD_ID' }

interface Reading {
  readonly keys?: KeyColumn
  readonly format?: ListInput['format']
  /** The error of the first reading. */
  readonly error?: Error
}

/** The rows that are read instead of a file, the number of lines that are left out, and how often the file was read. */
async function reading(content: string, { keys = EMAIL, format = 'csv', error }: Reading = {}) {
  const folder = tempFolder()
  const path = join(folder, 'list')
  writeFileSync(path, content)
  const input = { path, given: 'list.csv', name: 'list', format, dialect: csvDialect(content) } as ListInput
  const read: string[] = []
  let copy: string | undefined
  const work = { folder, signal: new AbortController().signal, keys }
  const left = await readListInputs(sandbox, [input], work, async ([one = input]) => {
    read.push(one.path)
    if (error && read.length === 1) throw error
    if (one.path === path) return
    copy = readFileSync(one.path, 'utf8')
    expect(statSync(one.path).mode & 0o777).toBe(0o600)
  }).catch((thrown: unknown) => ({ thrown }))
  return { copy, left, times: read.length }
}

test.each<[string, KeyColumn, string, string | undefined, number]>([
  ['nothing, if each line is a row', EMAIL, 'email,n\na@x.test,1\n', undefined, 0],
  ['a row with a note of two lines', EMAIL, 'email,n\na@x.test,"1\n2"\n', 'a@x.test,"1\n2"\n', 0],
  ['no rows that a quote joins', EMAIL, 'email,n\na@x.test,"N\nb@x.test,M"\nc@x.test,N\n', 'c@x.test,N\n', 2],
  ['none of a damaged key and a key', EMAIL, 'email,n\na at x,"N\nb@x.test,M"\nc@x.test,N\n', 'c@x.test,N\n', 2],
  ['none of a key and a damaged key', EMAIL, 'email,n\na@x.test,"N\nb@x,M"\nc@x.test,N\n', 'c@x.test,N\n', 2],
  ['none of a key and no key', EMAIL, 'email,n\na@x.test,"N\n,M"\nc@x.test,N\n', 'c@x.test,N\n', 2],
  ['a row with a comma in its note, for a query', ANYWHERE, 'email,n\na@x.test,"N\n, M"\n', 'a@x.test,"N\n, M"\n', 0],
  ['no row with a key of its own in its note', ANYWHERE, 'n,email,m\n"N\nb@x.test","a@x.test",M\n', '', 2],
  ['no rows of one person that a quote joins', EMAIL, 'email,n\na@x.test,"N\na@x.test,M"\n', '', 2],
  [
    'all rows, if the first one is no header',
    FIRST,
    'a@x.test,1\nb@x.test,"2\n3"\n',
    'a@x.test,1\nb@x.test,"2\n3"\n',
    0,
  ],
  ['the rows below blank lines', FIRST, '\n\na@x.test,"1\n2"\n', 'a@x.test,"1\n2"\n', 0],
  ['a row of an id with a note', IDS, 'id,n\nS1,"N\nM"\n', 'S1,"N\nM"\n', 0],
  ['the rows below a header of two lines', IDS, 'id,"first\nname"\nS1,1\n', 'S1,1\n', 0],
  ['the lines behind a quote that stays open', EMAIL, 'email,n\n"a@x.test,1\nb@x.test,2\n', 'b@x.test,2\n', 1],
])('where lines may not be rows, the copy that is read has %s', async (_what, keys, content, copy, left) => {
  expect(await reading(content, { keys })).toMatchObject({ copy, left })
})

test('megabytes of rows in quotes are not one row that is too long', async () => {
  const rows = `"a@x.test","${'n'.repeat(100)}"\n`.repeat(20_000)
  expect(await reading(`email,n\n${rows}"b@x.test,1\n`)).toMatchObject({ copy: rows, left: 1 })
})

test('a record of more than two megabytes is too long, even if its lines are blank', async () => {
  const { copy, left } = await reading(`email,n\na@x.test,"${'\n'.repeat(2_100_000)}"\nb@x.test,1\n`)
  // Its first line and its last one.
  expect(left).toBe(2)
  expect(copy?.trim()).toBe('b@x.test,1')
})

test.each([
  ['a key in a line of its own', EMAIL, 'email,n,"note\na@x.test"\nb@x.test,1,2\n'],
  ['a whole row', EMAIL, 'email,"n\na@x.test,N\nb@x.test,M"\nc@x.test,N\n'],
  ['a whole row of an id', IDS, 'id,"n\nS1,N\nS2,M"\nS3,N\n'],
])('a header with %s in it is an error: somebody would be lost', async (_what, keys, content) => {
  const why = 'list.csv cannot be read: its header leaves a quote open'
  expect(await reading(content, { keys })).toMatchObject({ left: { thrown: { message: why } } })
})

const [PLAIN, ODD] = ['email\na@x.test\n', 'email\n"a@x.test\n']
const failure = (code: string) => new AudienceError({ code, kind: 'failed', message: code })

test.each<[string, string, Error, 1 | 2, ListInput['format']]>([
  ['DuckDB gave up on a file', PLAIN, failure('list-unreadable'), 2, 'csv'],
  ['a query may be wrong because of the file', ODD, failure('list-sql'), 2, 'csv'],
  ['the query is wrong', PLAIN, failure('list-sql'), 1, 'csv'],
  ['there is no memory', ODD, failure('list-memory'), 1, 'csv'],
  ['there is a bug', ODD, new TypeError('list-unreadable'), 1, 'csv'],
  ['there is no CSV', PLAIN, failure('list-unreadable'), 1, 'ndjson'],
])(
  'a reading that failed is tried once more with a copy, or is the error: %s',
  async (_why, text, error, times, format) => {
    const left = times === 1 ? { thrown: error } : expect.any(Number)
    expect(await reading(text, { error, format })).toMatchObject({ times, left })
  },
)

test('what ends the look at the quotes of a file is the error, even if DuckDB could read the file', async () => {
  const folder = tempFolder()
  const path = join(folder, 'gone')
  const input: ListInput = { path, given: path, name: 'list', format: 'csv', dialect: csvDialect('email\n') }
  const work = { folder, signal: new AbortController().signal, keys: { column: 1, signal: 'EMAIL' } } as const
  await expect(readListInputs(sandbox, [input], work, async () => undefined)).rejects.toMatchObject({ code: 'ENOENT' })
})
