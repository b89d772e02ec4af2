import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { systemSurroundings } from '../../src/app/surroundings.ts'
import { makeProgram } from '../../src/cli/program.ts'
import type { Terminal } from '../../src/cli/terminal.ts'
import { readDaysOff } from '../../src/triggers/schedule/read-days-off.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { tries } from '../support/tries.ts'

const calendars = join(import.meta.dirname, '../fixtures/calendars')

const document = (name: string, exclude = '') => `version: 1
name: ${name}
triggers:
  - id: night
    schedule: { cron: "30 2 * * *"${exclude} }
steps:
  - { id: list, uses: groups.list }
`

async function audience(cwd: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const streams = { out: new PassThrough(), err: new PassThrough() }
  const text = { out: '', err: '' }
  for (const name of ['out', 'err'] as const) streams[name].on('data', (chunk) => (text[name] += String(chunk)))
  const terminal = {
    ...streams,
    env: {},
    cwd,
    surroundings: systemSurroundings,
    onInterrupt: () => () => undefined,
    whenUnread: () => undefined,
  } as unknown as Terminal
  let code = -1
  const finish = (exitCode: number) => {
    code = exitCode
  }
  const [command = ''] = args
  const program = await makeProgram({ terminal, finish, isNeeded: (name) => name === command, output: {} })
  await program.parseAsync(args, { from: 'user' })
  return { code, ...text }
}

/** A damaged copy of something, or anything at all. */
const damaged = (whole: fc.Arbitrary<Buffer>) =>
  fc.oneof(
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(
          whole,
          fc.array(
            fc.record({ at: fc.nat(), put: fc.uint8Array({ maxLength: 3 }), cut: fc.integer({ min: 0, max: 5 }) }),
            {
              maxLength: 3,
            },
          ),
        )
        .map(([bytes, damages]) =>
          damages.reduce((text, { at, put, cut }) => {
            const place = at % (text.length + 1)
            return Buffer.concat([text.subarray(0, place), put, text.subarray(place + cut)])
          }, bytes),
        ),
    },
  )

const calendarFiles = readdirSync(calendars).filter((name) => name.endsWith('.ics'))
const aCalendar = damaged(fc.constantFrom(...calendarFiles).map((name) => readFileSync(join(calendars, name))))
const aList = damaged(fc.constant(Buffer.from('2026-12-25 # Christmas\n2027-01-01\n')))
const withFiles = fc.constantFrom('days.ics', 'days.txt', '.', 'pipe', '../outside.ics', 'loop', 'gone.ics')
const aDocument = damaged(withFiles.map((file) => Buffer.from(document('bad', `, exclude: { file: ${file} }`))))

function project() {
  const cwd = tempFolder()
  const folder = join(cwd, 'pipelines')
  mkdirSync(folder)
  writeFileSync(join(folder, 'good.yaml'), document('good'))
  makePipe(join(folder, 'pipe'))
  symlinkSync('loop', join(folder, 'loop'))
  return { cwd, folder }
}

test('whatever the files of one document hold, the commands answer and the other document is in order', async () => {
  const { cwd, folder } = project()
  await fc.assert(
    fc.asyncProperty(aDocument, aCalendar, aList, async (yaml, calendar, list) => {
      writeFileSync(join(folder, 'bad.yaml'), yaml)
      writeFileSync(join(folder, 'days.ics'), calendar)
      writeFileSync(join(folder, 'days.txt'), list)
      const validated = await audience(cwd, 'validate', folder, '--format', 'json')
      const problems = validated.out
        .split('\n')
        .flatMap((line) => (line ? [JSON.parse(line) as { file: string; code: string }] : []))
      // A damaged document can get the name of the other one.
      expect(problems.filter(({ file, code }) => file.includes('good') && code !== 'same-name')).toEqual([])
      expect(problems.map(({ code }) => code)).not.toContain('not-checked')
      expect([0, 3]).toContain(validated.code)
      const next = await audience(cwd, 'schedule', 'next', 'good', '-n', '1', '--json')
      expect([next.code, next.out]).toEqual([0, expect.stringContaining('"pipeline":"good"')])
      expect((await audience(cwd, 'schedule', 'list')).out).toContain('good/night')
      const status = JSON.parse((await audience(cwd, 'status', '--json')).out) as {
        schedules: { next: { pipeline: string }[] }
      }
      expect(status.schedules.next.map(({ pipeline }) => pipeline)).toContain('good')
    }),
    { numRuns: tries(40, 3000) },
  )
})

const HEAD = 'version: 1\nname: bad\n'
const BOMB = Array.from({ length: 30 }, (_, at) => `a${at + 1}: &a${at + 1} [${Array(9).fill(`*a${at}`).join(', ')}]\n`)

test.each<[string, string | Buffer]>([
  ['a bomb of aliases', `${HEAD}a0: &a0 [x]\n${BOMB.join('')}`],
  ['lists in lists', `${HEAD}x: ${'['.repeat(100_000)}${']'.repeat(100_000)}\n`],
  ['lists that are not closed', HEAD + '['.repeat(100_000)],
  ['brackets that were not opened', HEAD + ']'.repeat(100_000)],
  ['an expression in brackets', `${HEAD}steps: [{ id: s, uses: groups.list, if: "\${{ ${'('.repeat(100_000)} }}" }]\n`],
  ['a key of a megabyte', `${HEAD}${'k'.repeat(990_000)}: 1\n`],
  ['many keys', HEAD + Array.from({ length: 20_000 }, (_, at) => `k${at}: 1\n`).join('')],
  ['NULs', HEAD + '\0'.repeat(100_000)],
  ['tabs', `${HEAD}\tx: 1\n`.repeat(1000)],
  ['bytes that are no UTF-8', Buffer.concat([Buffer.from(HEAD), Buffer.alloc(100_000, 0xff)])],
  [
    'patterns that are long',
    `${HEAD}triggers:\n${`  - { id: a, watch: { path: in, pattern: "${'*a'.repeat(400)}", done: d, failed: f } }\n`.repeat(200)}`,
  ],
])('a document of %s has its error, and the other one is in order', async (_what, text) => {
  const { cwd, folder } = project()
  writeFileSync(join(folder, 'bad.yaml'), text)
  const { code, out } = await audience(cwd, 'validate', folder, '--format', 'json')
  expect(code).toBe(3)
  expect(out).toContain('bad.yaml')
  expect(out).not.toContain('good.yaml')
  expect(out).not.toContain('not-checked')
  expect((await audience(cwd, 'schedule', 'list')).out).toContain('good/night')
})

test('of many documents, one that cannot be read is its own problem', async () => {
  const { cwd, folder } = project()
  mkdirSync(join(folder, 'folder.yaml'))
  makePipe(join(folder, 'pipe.yaml'))
  writeFileSync(join(folder, 'huge.yaml'), Buffer.alloc(10_000_001))
  const { code, out } = await audience(cwd, 'validate', folder)
  expect(code).toBe(3)
  for (const name of ['folder.yaml', 'pipe.yaml', 'huge.yaml'])
    expect(out).toMatch(new RegExp(`${name} cannot be read`))
  expect(out).toMatch(/4 pipelines, 3 errors/)
})

test('days off that were read once hold, whatever becomes of the file, and are read anew when it is good again', () => {
  const folder = tempFolder()
  const path = join(folder, 'days.ics')
  const pipe = join(folder, 'pipe')
  makePipe(pipe)
  const good = readFileSync(join(calendars, 'google-holidays.ics'))
  const spoil = fc.oneof(
    aCalendar.map((bytes) => () => writeFileSync(path, bytes)),
    fc.constant(() => undefined),
    fc.constant(() => mkdirSync(path)),
    // A second name for the pipe, because making a pipe needs a program.
    fc.constant(() => linkSync(pipe, path)),
    fc.constant(() => symlinkSync(path, path)),
  )
  fc.assert(
    fc.property(fc.array(spoil, { minLength: 1, maxLength: 4 }), (changes) => {
      const put = (change: () => void) => {
        rmSync(path, { force: true, recursive: true })
        change()
      }
      put(() => writeFileSync(path, good))
      // The file is read when it is opened, so it need not be complete when the first slot comes.
      const off = readDaysOff({ path, timezone: 'UTC', checkFile: () => undefined, onProblem: () => undefined })
      for (const change of changes) {
        put(change)
        expect(typeof off.has('2026-12-25')).toBe('boolean')
      }
      put(() => writeFileSync(path, good))
      expect([off.has('2026-12-25'), off.has('2026-12-24')]).toEqual([true, false])
    }),
    { numRuns: tries(60, 5000) },
  )
})

function makePipe(path: string): void {
  execFileSync('mkfifo', [path])
}
