import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findListFiles } from '../../src/lists/find-files.ts'
import type { ListRequest } from '../../src/lists/list-request.ts'
import { openLists } from '../../src/lists/open-lists.ts'
import { isAlive } from '../support/processes.ts'
import { listBench } from './list-bench.ts'

const NODE = process.execPath

test('a path with {date} and * takes the files of the day, whatever their dialects', async () => {
  const bench = listBench()
  const folder = join(bench.base, '2026-01-31')
  mkdirSync(join(folder, 'deep'), { recursive: true })
  writeFileSync(join(folder, 'a.csv'), 'email;n\nann@example.com;1\n')
  writeFileSync(join(folder, 'b.csv'), 'n,email\n1,bob@example.com\n')
  writeFileSync(join(folder, 'c.json'), '{"email":"cia@example.com"}')
  const { prepare } = withSource(bench, { kind: 'path', path: join(bench.base, '{date}', '*.csv') })
  expect(await prepare('2026-01-31')).toMatchObject({ rows: 2, keys: 2 })
  await expect(prepare('2026-02-01')).rejects.toMatchObject({
    code: 'source-empty',
    message: 'source it has no file: no file matches for 2026-02-01',
  })
  await expect(prepare()).rejects.toMatchObject({ code: 'source-needs-date' })
})

test.each(['{c,a/x,b}.csv', '{c,a/*,b}.csv', '**/*.csv'])(
  'its files are read in the order of their names: %s',
  async (pattern) => {
    const bench = listBench()
    mkdirSync(join(bench.base, 'a'))
    const names = ['a/x.csv', 'b.csv', 'c.csv'].map((name) => join(bench.base, name))
    for (const name of names) writeFileSync(name, 'email\nann@example.com\n')
    const sources = { it: { kind: 'path', path: join(bench.base, pattern) } } as const
    const place = { folder: bench.folder, signal: new AbortController().signal }
    const found = await findListFiles({ source: 'it' }, { sources }, place)
    expect(found.map(({ path }) => path)).toEqual(names)
  },
)

test('for a source that is left out, the reason is given', async () => {
  const why = 'its command runs a program of the working tree'
  const { prepare } = withSource(listBench(), { kind: 'left', why, use: { isDated: false } })
  await expect(prepare()).rejects.toMatchObject({ message: expect.stringContaining(why) })
})

test('a command writes to {out}; it gets its arguments as they are, and no shell', async () => {
  const bench = listBench()
  const script = `const [out, date, odd] = process.argv.slice(1)
    if (odd !== '$(touch x); "*"') process.exit(9)
    require('node:fs').writeFileSync(out, 'email\\n' + date + '@example.com\\n')`
  const { prepare } = withSource(bench, command([NODE, '-e', script, '{out}', '{date}', '$(touch x); "*"']))
  expect(await prepare('2026-01-31')).toMatchObject({ keys: 1 })
  expect(bench.content()).toBe('email\n2026-01-31@example.com\n')
  const { runId } = bench.place
  const [own = ''] = readdirSync(join(bench.folder, runId))
  // The output of the command is removed as soon as the list is made.
  expect(readdirSync(join(bench.folder, runId, own))).toEqual(['nightly.csv'])
})

test('a command may fill up the members of its gzip with zeros; one that is cut off is an error', async () => {
  const bench = listBench()
  const packed = (cut: number) =>
    `const { gzipSync } = require('node:zlib'), zeros = Buffer.alloc(512)
    const members = ['email\\nann@example.com\\n', 'bob@example.com\\n'].map((text) => gzipSync(text))
    const whole = Buffer.concat([members[0], zeros, members[1].subarray(0, members[1].length - ${cut}), ${cut} > 0 ? '' : zeros].map((part) => Buffer.from(part)))
    require('node:fs').writeFileSync(process.argv[1], whole)`
  await withSource(bench, command([NODE, '-e', packed(0), '{out}'])).prepare()
  expect(bench.content()).toBe('email\nann@example.com\nbob@example.com\n')
  await expect(withSource(bench, command([NODE, '-e', packed(5), '{out}'])).prepare()).rejects.toMatchObject({
    code: 'list-unreadable',
    message: expect.stringContaining('gzip data are damaged or cut off'),
  })
})

test.each(['symlinkSync', 'linkSync'])('a file that a command links to {out} keeps its mode: %s', async (link) => {
  const bench = listBench()
  const theirs = join(bench.base, 'theirs.csv')
  writeFileSync(theirs, 'email\nann@example.com\n')
  chmodSync(theirs, 0o644)
  const script = `const fs = require('node:fs'); fs.rmSync(process.argv[2], { force: true }); fs.${link}(process.argv[1], process.argv[2])`
  const { prepare } = withSource(bench, command([NODE, '-e', script, theirs, '{out}']))
  await prepare().catch(() => undefined)
  expect(statSync(theirs).mode & 0o777).toBe(0o644)
})

const WRITES = `require('node:fs').writeFileSync(process.argv[1], 'email\\nann@example.com\\n');`

test.each<[string, readonly string[], string, number]>([
  [
    'fails',
    ['-e', `${WRITES} console.error('ann@example.com'); process.exit(3)`, '{out}'],
    'ended with code 3',
    60_000,
  ],
  ['is killed', ['-e', `${WRITES} process.kill(process.pid, 'SIGKILL')`, '{out}'], 'was ended by SIGKILL', 60_000],
  ['hangs', ['-e', `${WRITES} setInterval(() => {}, 1000)`, '{out}'], 'did not end within 500 milliseconds', 500],
])('a command that %s gives no list, and leaves nothing', async (_what, args, why, timeoutMs) => {
  const bench = listBench()
  const { prepare } = withSource(bench, { ...command([NODE, ...args]), timeoutMs })
  const error = await prepare().catch((caught) => caught)
  expect(error).toMatchObject({ code: 'source-failed', message: `the command of source it ${why}` })
  expect(JSON.stringify([error.message, error.hint, error.stack])).not.toContain('ann@')
  expect(readdirSync(join(bench.folder, bench.place.runId))).toEqual([])
})

test.each<[string, readonly string[], string]>([
  ['does not exist', ['/nowhere/to/be/found', '{out}'], 'source-failed'],
  ['writes nothing', [NODE, '-e', '0', '{out}'], 'source-empty'],
  [
    'writes an empty file',
    [NODE, '-e', `require('node:fs').writeFileSync(process.argv[1], '')`, '{out}'],
    'list-unreadable',
  ],
])('a command that %s is an error', async (_what, argv, code) => {
  await expect(withSource(listBench(), command(argv)).prepare()).rejects.toMatchObject({ code })
})

test('a run that stops ends the command and what it started', async () => {
  const bench = listBench()
  const pids = join(bench.base, 'pids')
  const script = `const { spawn } = require('node:child_process')
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
    require('node:fs').writeFileSync(process.argv[1], process.pid + ' ' + child.pid)
    setInterval(() => {}, 1000)`
  const { prepare } = withSource(bench, command([NODE, '-e', script, pids, '{out}']))
  const stopped = new AbortController()
  const made = prepare(undefined, stopped.signal)
  await expect.poll(() => existsSync(pids)).toBe(true)
  await expect.poll(() => readFileSync(pids, 'utf8')).toMatch(/\d+ \d+/)
  const both = readFileSync(pids, 'utf8').split(' ').map(Number)
  stopped.abort(new Error('stop'))
  await expect(made).rejects.toThrow('stop')
  for (const pid of both) await expect.poll(() => isAlive(pid)).toBe(false)
})

function command(argv: readonly string[]) {
  return { kind: 'command', command: argv, timeoutMs: 60_000, folder: '/' } as const
}

function withSource(bench: ReturnType<typeof listBench>, source: Parameters<typeof openLists>[0]['sources'][string]) {
  const lists = openLists({ folder: bench.folder, sources: { it: source }, suppress: [] })
  return {
    prepare(date?: string, signal = new AbortController().signal) {
      const from: ListRequest['from'] = { source: 'it', ...(date !== undefined && { date }) }
      return lists.make({ from, column: 'email', signal: 'EMAIL' }, bench.place, signal)
    },
  }
}
