import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { audience, eventsOf, type ReadyService } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { hostService } from '../support/host-service.ts'

/*
 * The real command prepares lists and fails in every possible way. Nobody may appear in its output or in a file that it
 * leaves.
 */

/** More than the 20,480 lines that DuckDB reads to guess the dialect of a file. */
const PEOPLE = 21_000
const CANARY = /canary/i
const canaries = Array.from({ length: PEOPLE }, (_, index) => `canary${index}@example.com`)

let folder: string
let service: ReadyService
let stopService: () => Promise<void>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'audience-lists-'))
  mkdirSync(join(folder, 'in'))
  const started = await hostService(join(folder, 'service'))
  service = started.service
  stopService = started.stop
  const csv = `email,id\n${canaries.map((email, index) => `${email},${index}`).join('\n')}\n`
  write('people.csv', csv)
  write('no-header.csv', canaries.map((email) => `${email},${email}`).join('\n'))
  write('open-quotes.csv', csv.replaceAll(/^canary(?=\d*[02468]@)/gm, '"canary'))
  write('more-fields.csv', csv.replaceAll(/[02468]@example/g, ',@example'))
  const zipped = gzipSync(csv)
  write('cut.csv.gz', zipped.subarray(0, zipped.length / 2))
  write('bad.parquet', `PAR1${canaries.join('')}PAR1`)
  write('people.ndjson', `${canaries.map((email) => JSON.stringify({ email })).join('\n')}\n{"email": canary`)
  write('utf16.csv', Buffer.from(`\ufeff${csv}`, 'utf16le'))
  write('latin1.csv', Buffer.from(csv.replaceAll('@', '\xe9@'), 'latin1'))
  write(
    'leaks',
    `#!/bin/sh\ncat ${join(folder, 'in/people.csv')}\ncat ${join(folder, 'in/people.csv')} >&2\ncp ${join(folder, 'in/people.csv')} "$1"\nexit 3\n`,
  )
  chmodSync(join(folder, 'in/leaks'), 0o700)
  writeFileSync(
    join(folder, 'audience.yaml'),
    `sources:\n  leaks: { command: [in/leaks, "{out}", "--secret=canary"] }\n  day: { path: "in/{date}.csv" }\n`,
  )
})

afterAll(async () => {
  await stopService()
  rmSync(folder, { recursive: true, force: true })
})

function write(name: string, content: string | Uint8Array): void {
  writeFileSync(join(folder, 'in', name), content)
}

const file = (name: string) => `from: { file: in/${name} }`
const EMAIL = 'signal: EMAIL'

/** How a list fails, the inputs of its step, and the code of the error. */
const LISTS: readonly (readonly [name: string, given: string, code: string])[] = [
  ['SQL that cannot be parsed', `${file('people.csv')}, sql: SELEC email FROM input, ${EMAIL}`, 'list-sql'],
  ['SQL that names no column', `${file('people.csv')}, sql: SELECT emial FROM input, ${EMAIL}`, 'list-sql'],
  ['SQL without names', `${file('no-header.csv')}, sql: SELECT email FROM input, ${EMAIL}`, 'list-unreadable'],
  ['SQL that casts', `${file('people.csv')}, sql: "SELECT CAST(email AS INTEGER) FROM input", ${EMAIL}`, 'list-sql'],
  ['SQL that fails with a row', `${file('people.csv')}, sql: SELECT error(email) FROM input, ${EMAIL}`, 'list-sql'],
  ['SQL that gives everything', `${file('people.csv')}, sql: FROM input, ${EMAIL}`, 'list-sql'],
  ['SQL that writes', `${file('people.csv')}, sql: "COPY (FROM input) TO '/tmp/elsewhere'", ${EMAIL}`, 'list-sql'],
  [
    'SQL that reads another file',
    `${file('people.csv')}, sql: "SELECT content FROM read_text('/etc/passwd')", ${EMAIL}`,
    'list-sql',
  ],
  [
    'SQL on lines that are not JSON',
    `${file('people.ndjson')}, sql: SELECT email FROM input, ${EMAIL}`,
    'list-unreadable',
  ],
  ['a column that is not there', `${file('no-header.csv')}, column: email, ${EMAIL}`, 'list-no-column'],
  ['another signal', `${file('people.csv')}, column: email, signal: IP`, 'list-empty'],
  ['open quotes in half of the lines', `${file('open-quotes.csv')}, column: email, ${EMAIL}`, 'expectation-failed'],
  ['other numbers of fields', `${file('more-fields.csv')}, column: email, ${EMAIL}`, 'expectation-failed'],
  ['a file that is cut off', `${file('cut.csv.gz')}, column: email, ${EMAIL}`, 'list-unreadable'],
  ['a Parquet file that is none', `${file('bad.parquet')}, column: email, ${EMAIL}`, 'list-unreadable'],
  ['UTF-16', `${file('utf16.csv')}, column: email, ${EMAIL}`, 'list-unreadable'],
  ['Latin-1', `${file('latin1.csv')}, column: email, ${EMAIL}`, 'list-empty'],
  ['a command that prints everybody', `from: { source: leaks }, column: email, ${EMAIL}`, 'source-failed'],
  ['a day without a file', `from: { source: day, date: 2026-01-31 }, column: email, ${EMAIL}`, 'list-unreadable'],
  ['figures that are not met', `${file('people.csv')}, column: email, ${EMAIL}`, 'expectation-failed'],
  ['an upload of another signal', `${file('people.csv')}, column: id, signal: RECORD_ID`, 'list-other-signal'],
]

/** Two steps per list: the list and its upload. One of them fails. */
const DOCUMENT = [
  'version: 1\nname: lists\nsteps:',
  ...LISTS.flatMap(([, given, code], index) => [
    `  - id: list${index}\n    uses: files.prepare\n    continueOnError: true`,
    `    with: { ${given} }`,
    ...(code === 'expectation-failed' ? ['    expect: [{ check: "${{ outputs.keys < 10 }}" }]'] : []),
    `  - id: upload${index}\n    uses: files.upload\n    continueOnError: true`,
    `    with: { file: "\${{ steps.list${index}.outputs.file }}", uploadSignal: EMAIL, resultContent: BGID }`,
  ]),
  '',
].join('\n')

test('lists that fail in every way show nobody', async () => {
  const state = join(folder, 'state')
  const document = join(folder, 'lists.yaml')
  writeFileSync(document, DOCUMENT)
  const env = { AUDIENCE_STATE: state, AUDIENCE_BASE_URL: service.url, AUDIENCE_TOKEN: service.token }
  const ask = (...args: string[]) => commandLine(args, { env, cwd: folder })
  // A separate process, because DuckDB could print, too.
  const run = await audience(['run', document, '--json'], { env, cwd: folder })
  const codes = new Map(
    eventsOf(run.out).map(({ step, error }) => [step, (error as { code?: string } | undefined)?.code]),
  )
  const found = LISTS.map(([name], index) => [name, codes.get(`list${index}`) ?? codes.get(`upload${index}`)])
  expect(found, run.out + run.err).toEqual(LISTS.map(([name, , code]) => [name, code]))
  const answers = [run, await ask('plan', document), await ask('runs', 'show', 'latest', '--json')]
  for (const { out, err } of answers) expect(out + err).not.toMatch(CANARY)
  const left = filesBelow(state)
  expect(left.some((path) => path.endsWith('runs.db'))).toBe(true)
  // The document with its SQL is part of the run; the people of the list are not.
  for (const path of left) {
    const text = readFileSync(path, 'latin1').replaceAll(document, '').replaceAll('/tmp/elsewhere', '')
    expect(CANARY.exec(text)?.[0], path).toBeUndefined()
  }
  expect(left.filter((path) => path.startsWith(join(state, 'lists')))).toEqual([])
})

function filesBelow(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => join(path, name))
    .filter((each) => statSync(each).isFile())
}
