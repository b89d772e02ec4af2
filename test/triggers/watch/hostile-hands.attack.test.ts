import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Disk, localDisk } from '../../../src/triggers/watch/disk.ts'
import { until, type Watching, watching } from './watching.ts'

const SHORT = 'settle: 400ms'
const SECRET = 'token of the service\n'
const isRoot = process.getuid?.() === 0

/** The view of somebody who may write to the watched folder but not to the state. */
function attacked() {
  const bench = watching()
  const state = join(bench.folder, 'state')
  mkdirSync(state, { mode: 0o700 })
  writeFileSync(join(state, 'l.csv'), SECRET, { mode: 0o600 })
  const plant = (ticket: string) => {
    const folder = join(bench.inbox, '.taken', 'drops.drop', ticket)
    mkdirSync(folder, { recursive: true })
    return folder
  }
  return { bench, state, secret: join(state, 'l.csv'), plant }
}

/** `done` and `failed` on another file system, so that files are copied. */
const otherDisk: Disk = {
  ...localDisk,
  async link(from, to) {
    if (!String(from).endsWith('.part')) throw Object.assign(new Error('EXDEV'), { code: 'EXDEV' })
    await localDisk.link(from, to)
  },
}

const DISKS: readonly (readonly [string, Disk])[] = [
  ['on one file system', localDisk],
  ['on two', otherDisk],
]

function contentsOf({ folder }: Watching, name: string): string {
  const path = join(folder, name)
  if (!existsSync(path)) return ''
  return readdirSync(path)
    .map((each) => join(path, each))
    .filter((each) => lstatSync(each).isFile())
    .map((each) => readFileSync(each, 'utf8'))
    .join('\n')
}

async function worksOn(bench: Watching): Promise<void> {
  writeFileSync(join(bench.inbox, 'good.csv'), 'good')
  await until(() => bench.runs.some(({ content }) => content === 'good'), 'the run of a good file')
}

describe.each(DISKS)('%s', (_where, disk) => {
  test('a link among the taken files leads nowhere, and what it leads to stays', async () => {
    const { bench, secret, plant } = attacked()
    symlinkSync(secret, join(plant('1764000000000-abcdef'), 'l.csv'))
    bench.start(SHORT, { disk })
    await until(() => bench.names('failed').includes('l.csv.reason.txt') || bench.names('failed').length > 0)
    await worksOn(bench)
    expect(contentsOf(bench, 'failed')).not.toContain(SECRET)
    expect(contentsOf(bench, 'failed')).toContain('it is not a regular file')
    expect(contentsOf(bench, 'done')).not.toContain(SECRET)
    expect(readFileSync(secret, 'utf8')).toBe(SECRET)
  })

  test.each(['the folder of a ticket', 'the folder of the trigger'])('nor does a link instead of %s', async (which) => {
    const { bench, state, secret, plant } = attacked()
    if (which === 'the folder of a ticket') symlinkSync(state, `${plant('1-x')}/../1764000000000-abcdef`)
    else {
      mkdirSync(join(state, '1764000000000-abcdef'))
      writeFileSync(join(state, '1764000000000-abcdef', 'm.csv'), SECRET)
      mkdirSync(join(bench.inbox, '.taken'))
      symlinkSync(state, join(bench.inbox, '.taken', 'drops.drop'))
    }
    const watcher = bench.start(SHORT, { disk })
    writeFileSync(join(bench.inbox, 'good.csv'), 'good')
    await until(() => bench.runs.length === 1 || watcher.status()[0]?.problem !== undefined)
    for (const name of ['done', 'failed']) expect(contentsOf(bench, name)).not.toContain(SECRET)
    expect(bench.runs.map(({ content }) => content).join()).not.toContain(SECRET)
    expect(readFileSync(secret, 'utf8')).toBe(SECRET)
  })

  test('pipes, sockets and devices hold up nobody, neither among the taken files nor beside new ones', async () => {
    const { bench, plant } = attacked()
    for (let at = 1; at <= 6; at++) {
      execFileSync('mkfifo', [join(plant(`176400000000${at}-abcdef`), 'l.csv')])
      execFileSync('mkfifo', [join(bench.inbox, `pipe${at}.csv`)])
    }
    symlinkSync('/dev/zero', join(plant('1764000000009-abcdef'), 'z.csv'))
    const watcher = bench.start(SHORT, { disk })
    await worksOn(bench)
    await until(() => bench.names('failed').filter((name) => name.endsWith('.reason.txt')).length === 7)
    expect(contentsOf(bench, 'failed')).toContain('it is not a regular file')
    // If a thread waited for a writer, this would not end.
    await watcher.stop()
    expect(bench.names('inbox').filter((name) => name.startsWith('pipe'))).toHaveLength(6)
  })
})

test('.taken is this user’s alone: what others could enter is closed', async () => {
  const { bench } = attacked()
  mkdirSync(join(bench.inbox, '.taken'))
  chmodSync(join(bench.inbox, '.taken'), 0o777)
  bench.start(SHORT)
  await worksOn(bench)
  expect(statSync(join(bench.inbox, '.taken')).mode & 0o777).toBe(0o700)
})

test('.taken is made for this user alone, whatever the umask is', async () => {
  const { bench } = attacked()
  const before = process.umask(0)
  try {
    bench.start(SHORT)
    await worksOn(bench)
    expect(statSync(join(bench.inbox, '.taken')).mode & 0o777).toBe(0o700)
    expect(statSync(join(bench.inbox, '.taken', 'drops.drop')).mode & 0o077).toBe(0)
  } finally {
    process.umask(before)
  }
})

test.each(['a link', 'a file'])('.taken that is %s is refused, and told', async (what) => {
  const { bench, state } = attacked()
  if (what === 'a link') symlinkSync(state, join(bench.inbox, '.taken'))
  else writeFileSync(join(bench.inbox, '.taken'), '')
  writeFileSync(join(bench.inbox, 'a.csv'), 'x')
  const watcher = bench.start(SHORT)
  await until(() => watcher.status()[0]?.problem !== undefined)
  expect(watcher.status()[0]?.problem).toMatch(/\.taken is not a folder, .* remove it/)
  expect(bench.names('inbox')).toEqual(['a.csv'])
  expect(readdirSync(state)).toEqual(['l.csv'])
})

test.runIf(isRoot)('.taken of another user is refused, and told', async () => {
  const { bench, plant } = attacked()
  writeFileSync(join(plant('1764000000000-abcdef'), 'l.csv'), 'of another')
  chownSync(join(bench.inbox, '.taken'), 12345, 12345)
  writeFileSync(join(bench.inbox, 'a.csv'), 'x')
  const watcher = bench.start(SHORT)
  await until(() => watcher.status()[0]?.problem !== undefined)
  expect(watcher.status()[0]?.problem).toMatch(/\.taken belongs to another user \(12345\)/)
  expect(bench.runs).toEqual([])
})

test('a file that is too large is moved and never copied: a sparse one of a terabyte would fill the disk of failed', async () => {
  const { bench } = attacked()
  let copies = 0
  const copyFile: Disk['copyFile'] = async (from, to) => {
    copies += 1
    await localDisk.copyFile(from, to)
  }
  let isOther = true
  const rename: Disk['rename'] = async (from, to) => {
    if (isOther && /\/large\.\d[^/]*\.csv$/.test(String(to))) throw Object.assign(new Error('EXDEV'), { code: 'EXDEV' })
    await localDisk.rename(from, to)
  }
  writeFileSync(join(bench.inbox, 'large.csv'), '')
  truncateSync(join(bench.inbox, 'large.csv'), 2 ** 40)
  const watcher = bench.start(SHORT, { disk: { ...otherDisk, copyFile, rename } })
  await until(() => watcher.status()[0]?.stuck === 1)
  await worksOn(bench)
  await until(() => bench.names('done').length === 1)
  expect(bench.logged.map(({ error }) => error)).toContainEqual(expect.stringContaining('too large to be copied'))
  expect(bench.names('failed')).toEqual([])
  isOther = false
  await until(() => bench.names('failed').length === 2)
  expect(copies).toBe(1)
})

const STRANGER = 12345

/** Replaces what is there with somebody else's link. */
function strangersLink(target: string, path: string): void {
  rmSync(path, { recursive: true, force: true })
  symlinkSync(target, path)
  lchownSync(path, STRANGER, STRANGER)
}

test.runIf(isRoot).each(['done', 'failed', 'inbox'] as const)(
  '%s that is a link of somebody else is not followed: nothing is taken or moved, and that is told',
  async (name) => {
    const { bench, state } = attacked()
    strangersLink(state, join(bench.folder, name))
    if (name !== 'inbox') writeFileSync(join(bench.inbox, 'a.csv'), 'x')
    const watcher = bench.start(SHORT)
    await until(() => watcher.status()[0]?.problem !== undefined)
    const told = `${join(bench.folder, name)} is a link that belongs to another user (${STRANGER}), who could point it anywhere: remove it`
    expect(watcher.status()[0]?.problem).toBe(told)
    expect(readdirSync(state)).toEqual(['l.csv'])
    expect(bench.runs).toEqual([])
    rmSync(join(bench.folder, name))
    mkdirSync(bench.inbox, { recursive: true })
    await worksOn(bench)
  },
)

test.runIf(isRoot).each(['done', 'inbox'] as const)(
  '%s that becomes a link of somebody else while a run goes on: the file waits, and nothing leaves the state',
  async (name) => {
    const { bench, state } = attacked()
    bench.ending = undefined
    const watcher = bench.start(SHORT)
    await worksOn(bench)
    const was = join(bench.folder, 'was')
    mkdirSync(join(bench.folder, name), { recursive: true })
    renameSync(join(bench.folder, name), was)
    strangersLink(state, join(bench.folder, name))
    bench.occurrenceStore.end('run-1', 'succeeded')
    await until(() => watcher.status()[0]?.stuck === 1)
    expect(readdirSync(state)).toEqual(['l.csv'])
    rmSync(join(bench.folder, name))
    renameSync(was, join(bench.folder, name))
    await until(() => bench.names('done').length === 1)
  },
)

test.runIf(isRoot)('links of root, of this user and of the owner of the document are followed', async () => {
  const { bench } = attacked()
  const elsewhere = join(bench.folder, 'elsewhere')
  mkdirSync(elsewhere)
  strangersLink(elsewhere, join(bench.folder, 'done'))
  chownSync(bench.folder, STRANGER, STRANGER)
  rmSync(bench.inbox, { recursive: true })
  mkdirSync(join(bench.folder, 'real'))
  symlinkSync('real', bench.inbox)
  bench.start(SHORT)
  await worksOn(bench)
  await until(() => bench.names('elsewhere').length === 1)
})

test('a folder that takes the place of .taken while a run goes on: nothing is read or removed there', async () => {
  const { bench, state, secret } = attacked()
  bench.ending = undefined
  const watcher = bench.start(SHORT)
  await worksOn(bench)
  const taken = join(bench.inbox, '.taken')
  renameSync(taken, join(bench.inbox, '.mine'))
  symlinkSync(state, taken)
  bench.occurrenceStore.end('run-1', 'failed')
  await until(() => watcher.status()[0]?.stuck === 1)
  expect(contentsOf(bench, 'failed')).toBe('')
  expect(readFileSync(secret, 'utf8')).toBe(SECRET)
  rmSync(taken)
  renameSync(join(bench.inbox, '.mine'), taken)
  await until(() => bench.names('failed').length === 2)
})

test('a link that waits where a note is drafted, or a copy made, is not written through', async () => {
  const { bench, secret } = attacked()
  bench.ending = undefined
  bench.start(SHORT, { disk: otherDisk })
  await worksOn(bench)
  const ticket = String(bench.occurrences()[0]?.detail?.ticket)
  mkdirSync(join(bench.folder, 'failed'))
  for (const end of ['note', 'part']) symlinkSync(secret, join(bench.folder, 'failed', `.${ticket}.${end}`))
  bench.occurrenceStore.end('run-1', 'failed')
  await until(() => bench.names('failed').length === 2)
  expect(readFileSync(secret, 'utf8')).toBe(SECRET)
})
