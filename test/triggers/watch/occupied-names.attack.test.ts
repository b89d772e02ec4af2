import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Disk, localDisk } from '../../../src/triggers/watch/disk.ts'
import { folderTrouble } from '../../../src/triggers/watch/start-watcher.ts'
import { isInInbox, until, type Watching, watching } from './watching.ts'

/*
 * Somebody who may write to a folder puts something else where the daemon reads or writes a file: the daemon must not
 * stop work silently.
 */

const SHORT = 'settle: 400ms'

/** What somebody puts in the place of a file, and its name in messages. */
const THINGS: Readonly<Record<string, (path: string) => unknown>> = {
  'a folder': (path) => void mkdirSync(path),
  'a folder with a file': (path) => {
    mkdirSync(path)
    writeFileSync(join(path, 'x'), '')
  },
  'a link': (path) => symlinkSync('/etc/hostname', path),
  'a named pipe': (path) => void execFileSync('mkfifo', [path]),
  'a socket': async (path) => {
    const server = createServer()
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(path, resolve))
  },
}
const things = Object.entries(THINGS).map(([what, make]) => ({ what, make, called: what.replace(/ with .*/, '') }))

function ignored(bench: Watching) {
  return bench
    .occurrences()
    .filter(({ detail }) => detail?.ignored === true)
    .map(({ detail, reason }) => [detail?.name, reason])
}

/** The text of `/readyz`, and so of `audience status`. */
function trouble(watcher: ReturnType<Watching['start']>): string {
  return folderTrouble(watcher.status()) ?? ''
}

const other = (from: unknown) => !String(from).endsWith('.part')
/** `done` and `failed` on another file system, so that files are copied. */
const otherDisk: Disk = {
  ...localDisk,
  async link(from, to) {
    if (other(from)) throw Object.assign(new Error('EXDEV'), { code: 'EXDEV' })
    await localDisk.link(from, to)
  },
}

describe.each(things)('$what', ({ make, called }) => {
  test('in the place of a marker is none: the file is taken once it has settled, and it is told', async () => {
    const bench = watching()
    const marker = join(bench.inbox, 'a.csv.done')
    await make(marker)
    writeFileSync(join(bench.inbox, 'a.csv'), 'x')
    const watcher = bench.start(SHORT)
    await until(() => bench.names('done').includes('a.csv'))
    expect(ignored(bench)).toEqual([
      [
        'a.csv.done',
        `it is ${called} and not a marker: put an empty file in its place, or remove it; a.csv is taken when it has settled`,
      ],
    ])
    expect(trouble(watcher)).toBe('')
    expect(lstatSync(marker).isFile()).toBe(false)
    // Again, with what is still there.
    writeFileSync(join(bench.inbox, 'a.csv'), 'y')
    await until(() => bench.runs.length === 2)
    expect(ignored(bench)).toHaveLength(1)
  })

  test('with the name of a file that is meant is told, and others run', async () => {
    const bench = watching()
    await make(join(bench.inbox, 'a.csv'))
    writeFileSync(join(bench.inbox, 'b.csv'), 'x')
    bench.start(SHORT)
    await until(() => bench.names('done').includes('b.csv'))
    expect(ignored(bench)).toEqual([['a.csv', `it is ${called} and not a file: put a file in its place, or remove it`]])
  })

  test.each(['failed', 'skipped'] as const)(
    'in the place of the note of a file (%s) gives it another name',
    async (how) => {
      const bench = watching()
      const [folder, end] = how === 'failed' ? ['failed', 'reason'] : ['done', 'note']
      if (how === 'failed') bench.ending = () => 'failed'
      mkdirSync(join(bench.folder, folder))
      await make(join(bench.folder, folder, `a.csv.${end}.txt`))
      const watcher = bench.start(SHORT)
      if (how === 'skipped') {
        writeFileSync(join(bench.inbox, 'first.csv'), 'x')
        await until(() => bench.names('done').includes('first.csv'))
      }
      writeFileSync(join(bench.inbox, 'a.csv'), 'x')
      await until(
        () =>
          bench.occurrences().length === (how === 'failed' ? 1 : 2) && bench.occurrences().every(({ open }) => !open),
      )
      const file = bench.names(folder).find((name) => /^a\..*csv$/.test(name)) ?? ''
      expect(lstatSync(join(bench.folder, folder, `${file}.${end}.txt`)).isFile()).toBe(true)
      expect(trouble(watcher)).toBe('')
    },
  )

  test.each(['a.csv', 'a.csv.part'])('where a file is put away (%s) is no obstacle', async (name) => {
    const bench = watching()
    mkdirSync(join(bench.folder, 'done'))
    await make(join(bench.folder, 'done', name))
    bench.start(SHORT)
    writeFileSync(join(bench.inbox, 'a.csv'), 'x')
    await until(() => bench.occurrences().some(({ open }) => !open))
    expect(readdirSync(join(bench.folder, 'done'))).toHaveLength(2)
  })

  test('in the place of a file at the moment in which it is taken goes to failed with its reason', async () => {
    for (const disk of [localDisk, otherDisk]) {
      const bench = watching()
      const rename: Disk['rename'] = async (from, to) => {
        if (isInInbox(from, 'a.csv') && lstatSync(from).isFile()) {
          rmSync(from)
          await make(String(join(bench.inbox, 'a.csv')))
        }
        await disk.rename(from, to)
      }
      const watcher = bench.start(SHORT, { disk: { ...disk, rename } })
      writeFileSync(join(bench.inbox, 'a.csv'), 'x')
      await until(() => bench.occurrences().some(({ open, state }) => !open && state === 'failed'))
      expect(bench.names('failed').some((name) => name.endsWith('.reason.txt'))).toBe(true)
      expect(trouble(watcher)).toBe('')
      const taken = join(bench.inbox, '.taken', 'drops.drop')
      expect(readdirSync(taken)).toEqual([])
      expect(bench.runs).toEqual([])
    }
  })

  test('in the place of a marker at the moment in which it is removed is no obstacle', async () => {
    const bench = watching()
    const rm: Disk['rm'] = async (path, options) => {
      if (isInInbox(path, 'a.csv.done') && existsSync(path) && lstatSync(path).isFile()) {
        rmSync(path)
        await make(join(bench.inbox, 'a.csv.done'))
      }
      await localDisk.rm(path, options)
    }
    writeFileSync(join(bench.inbox, 'a.csv'), 'x')
    writeFileSync(join(bench.inbox, 'a.csv.done'), '')
    bench.start('settle: 1h', { disk: { ...localDisk, rm } })
    await until(() => bench.names('done').includes('a.csv'))
  })
})

describe.each(
  things
    .filter(({ called }) => !/folder|link/.test(called))
    .concat({ what: 'a file', called: 'a file', make: (path) => writeFileSync(path, '') }),
)('$what', ({ make, called }) => {
  test.each(['inbox', 'done', 'failed'])('in the place of %s is told, and nothing is taken meanwhile', async (name) => {
    const bench = watching()
    const path = join(bench.folder, name)
    rmSync(path, { recursive: true, force: true })
    await make(path)
    if (name !== 'inbox') writeFileSync(join(bench.inbox, 'a.csv'), 'x')
    const watcher = bench.start(SHORT)
    await until(() => trouble(watcher) !== '')
    expect(trouble(watcher)).toBe(
      `${bench.inbox}: ${path} is ${called}, but a folder of that name is needed: remove it, or name another folder`,
    )
    expect(bench.runs).toEqual([])
    rmSync(path)
    mkdirSync(bench.inbox, { recursive: true })
    writeFileSync(join(bench.inbox, 'b.csv'), 'y')
    await until(() => bench.names('done').includes('b.csv'))
  })
})

test('done that becomes a file while a run goes on: the file waits, and it is told why', async () => {
  const bench = watching()
  bench.ending = undefined
  const watcher = bench.start(SHORT)
  writeFileSync(join(bench.inbox, 'a.csv'), 'x')
  await until(() => bench.runs.length === 1)
  rmSync(join(bench.folder, 'done'), { recursive: true, force: true })
  writeFileSync(join(bench.folder, 'done'), '')
  bench.occurrenceStore.end('run-1', 'succeeded')
  await until(() => watcher.status()[0]?.stuck === 1)
  expect(trouble(watcher)).toContain(`${join(bench.folder, 'done')} is a file, but a folder of that name is needed`)
})

test('a file that cannot be taken for any reason is told when it was tried twice', async () => {
  const bench = watching()
  mkdirSync(join(bench.inbox, '.taken'), { mode: 0o700 })
  writeFileSync(join(bench.inbox, '.taken', 'drops.drop'), '')
  bench.start(SHORT)
  writeFileSync(join(bench.inbox, 'a.csv'), 'x')
  await until(() => ignored(bench).length === 1)
  expect(ignored(bench)).toEqual([
    [
      'a.csv',
      expect.stringMatching(/^it cannot be taken out of its folder \(ENOTDIR.*\); this will be retried every minute$/),
    ],
  ])
  rmSync(join(bench.inbox, '.taken', 'drops.drop'))
  await until(() => bench.names('done').includes('a.csv'))
})

test('folders that have a use are not told: those of the trigger, and others without the ending of a file', async () => {
  const bench = watching()
  for (const name of ['sub', 'sub.d', '.hidden.csv']) mkdirSync(join(bench.inbox, name))
  const { trigger, ...watch } = bench.watch(`${SHORT}, pattern: "*"`)
  const watcher = bench.start(SHORT)
  watcher.replace([{ ...watch, trigger: { ...trigger, done: 'inbox/all.done', failed: 'inbox/all.failed' } }])
  for (const content of ['x', 'y']) {
    writeFileSync(join(bench.inbox, 'a.csv'), content)
    await until(
      () => bench.runs.some((run) => run.content === content) && bench.occurrences().every(({ open }) => !open),
    )
  }
  expect(bench.names('inbox/all.done')).toHaveLength(2)
  await until(() => ignored(bench).length > 0)
  expect(ignored(bench).map(([name]) => name)).toEqual(['sub.d'])
})
