import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { audience, type Ended } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { copyAsKilled, openRecordedProject } from '../support/recorded-state.ts'
import { mountSmallDisk } from '../support/soak/small-disk.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Permissions do not bind root: its commands run as a user who owns nothing. */
const NOBODY = 65534
const asNobody = process.getuid?.() === 0 ? { uid: NOBODY } : {}

/**
 * A project with a run in `runs.db` and one in `runs.db-wal`, left in one of the states in which a process can leave
 * it.
 */
async function project(left: 'closed' | 'killed' | 'killed, without runs.db-shm') {
  const source = tempFolder()
  const { addRun, journal } = openRecordedProject(source)
  await addRun('first', { status: 'succeeded' })
  journal.close()
  const { addRun: addAnother, journal: again } = openRecordedProject(source)
  await addAnother('second', { status: 'failed' })
  const folder = tempFolder()
  cpSync(join(source, 'pipelines'), join(folder, 'pipelines'), { recursive: true })
  if (left === 'closed') again.close()
  copyAsKilled(join(source, 'state'), join(folder, 'state'), { shm: left === 'killed' ? 'kept' : 'gone' })
  if (left !== 'closed') again.close()
  return folder
}

function makeReadOnly(folder: string): void {
  const state = join(folder, 'state')
  for (const name of readdirSync(state)) chmodSync(join(state, name), 0o444)
  chmodSync(state, 0o555)
  chmodSync(folder, 0o555)
  onTestFinished(() => {
    for (const each of [folder, state]) chmodSync(each, 0o755)
  })
}

function contents(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString('base64')]),
  )
}

const runsOf = ({ out, err, code }: Ended): unknown[] => {
  expect(code, err).toBe(0)
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).runId)
    .sort()
}

test.each(['closed', 'killed', 'killed, without runs.db-shm'] as const)(
  'the state in a read-only folder is read, also what is only in its log, and nothing is written: %s',
  async (left) => {
    const folder = await project(left)
    const options = { cwd: folder, env: { AUDIENCE_STATE: join(folder, 'state') }, ...asNobody }
    makeReadOnly(folder)
    const before = contents(join(folder, 'state'))
    expect(runsOf(await audience(['runs', 'list', '--json'], options))).toEqual(['first', 'second'])
    const target = tempFolder()
    chmodSync(target, 0o777)
    expect(await audience(['backup', join(target, 'copy.db')], options)).toMatchObject({
      code: 0,
      out: expect.stringContaining('copied 2 runs'),
    })
    const commands: [string[], string][] = [
      [['status', '--json'], '"runs":{"queued":0,"running":0,"waiting":0,"lastDay":{"succeeded":1,"failed":1'],
      [['runs', 'show', 'second'], 'failed'],
      [['runs', 'logs', 'second'], 'failed'],
      [['schedule', 'list'], 'nightly/night'],
      [['schedule', 'next'], 'nightly/night'],
      [['validate', 'pipelines'], ''],
    ]
    for (const [args, text] of left === 'closed' ? commands : commands.slice(0, 1)) {
      const ended = await audience(args, options)
      expect(ended, args.join(' ')).toMatchObject({ code: 0, out: expect.stringContaining(text) })
    }
    expect(contents(join(folder, 'state'))).toEqual(before)
  },
)

test('where not a byte can be written, as on a full disk, the state is read', async () => {
  const folder = await project('closed')
  const options = { cwd: folder, env: { AUDIENCE_STATE: join(folder, 'state') } }
  const full = { ...options, isDiskFull: true } as const
  expect(runsOf(await audience(['runs', 'list', '--json'], full))).toEqual(['first', 'second'])
  expect(await audience(['status'], full)).toMatchObject({ code: 0 })
})

test.each(['closed', 'killed'] as const)(
  'on a file system without a byte of room the state is read: %s',
  async (left) => {
    const folder = await project(left)
    const state = join(folder, 'disk')
    const disk = mountSmallDisk(state, 8)
    if (disk) onTestFinished(() => disk.remove())
    cpSync(join(folder, 'state'), state, { recursive: true })
    disk?.fill()
    // If this user may not mount a disk, the commands run in a process whose files cannot grow instead.
    const world = { cwd: folder, env: { AUDIENCE_STATE: state } }
    const read = (args: string[]) => (disk ? commandLine(args, world) : audience(args, { ...world, isDiskFull: true }))
    expect(runsOf(await read(['runs', 'list', '--json']))).toEqual(['first', 'second'])
    for (const args of [['status'], ['runs', 'show', 'second'], ['runs', 'logs', 'second'], ['schedule', 'list']]) {
      expect(await read(args), args.join(' ')).toMatchObject({ code: 0, err: '' })
    }
  },
)

test('reading does not create a missing state', async () => {
  const folder = tempFolder()
  const options = { cwd: folder, env: { AUDIENCE_STATE: join(folder, 'state') } }
  expect(await commandLine(['runs', 'list'], options)).toMatchObject({ code: 0, out: 'no runs\n' })
  expect(await commandLine(['runs', 'show', 'none'], options)).toMatchObject({ code: 2 })
  expect(existsSync(join(folder, 'state'))).toBe(false)
})

test.each([
  ['is empty', ''],
  ['is no database', 'x'.repeat(8192)],
])('a state that %s is damaged, for readers and for writers; it is not taken for a new one', async (_, content) => {
  const folder = tempFolder()
  const state = join(folder, 'state')
  mkdirSync(state)
  writeFileSync(join(state, 'runs.db'), content)
  const options = { cwd: folder, env: { AUDIENCE_STATE: state } }
  const commands = [
    ['runs', 'list'],
    ['status'],
    ['start', '--port', '0'],
    ['runs', 'prune'],
    ['backup', join(folder, 'copy.db')],
  ]
  for (const { code, err } of await Promise.all(commands.map((args) => commandLine(args, options)))) {
    expect(err).toMatch(/is damaged(.|\n)*restore the newest backup/)
    expect(code).toBe(1)
  }
  expect(readFileSync(join(state, 'runs.db'), 'utf8')).toBe(content)
})

test('a state that this user may not read is not taken for none, and its log alone not for a new one', async () => {
  const folder = tempFolder()
  const state = join(folder, 'state')
  mkdirSync(state)
  writeFileSync(join(state, 'runs.db-wal'), 'left behind')
  const options = { cwd: folder, env: { AUDIENCE_STATE: state } }
  for (const args of [
    ['start', '--port', '0'],
    ['backup', join(folder, 'copy.db')],
  ]) {
    const { code, err } = await commandLine(args, options)
    expect(err).toMatch(/^the state in .* is damaged: the file is missing(.|\n)*restore the newest backup/)
    expect(code).toBe(1)
  }
  // Somebody else may enter the project, but not its state.
  chmodSync(folder, 0o755)
  chmodSync(state, 0o000)
  onTestFinished(() => chmodSync(state, 0o755))
  expect(await audience(['backup', 'copy.db'], { ...options, ...asNobody })).toMatchObject({
    code: 1,
    err: expect.stringContaining('cannot be read'),
  })
})
