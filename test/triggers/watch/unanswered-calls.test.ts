import { mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Disk, localDisk } from '../../../src/triggers/watch/disk.ts'
import { folderTrouble, startWatcher } from '../../../src/triggers/watch/start-watcher.ts'
import { depsOf, until, watching } from './watching.ts'

test('a folder whose file system does not answer stands still, and readiness says so', async () => {
  const bench = watching()
  const clock = depsOf(bench).clock
  let isAway = true
  let isAsked = false
  let aheadMs = 0
  const answer = Promise.withResolvers<void>()
  const watcher = bench.start('settle: 400ms', {
    clock: { ...clock, steady: () => clock.steady() + aheadMs },
    disk: {
      ...localDisk,
      readdir: (async (...given: Parameters<typeof localDisk.readdir>) => {
        isAsked = true
        if (isAway) await answer.promise
        return localDisk.readdir(...given)
      }) as typeof localDisk.readdir,
    },
  })
  writeFileSync(join(bench.inbox, 'a.csv'), 'x')
  expect(folderTrouble(watcher.status())).toBeUndefined()
  await until(() => isAsked)
  aheadMs = 3_600_000
  await until(() => /\(readdir in /.test(String(folderTrouble(watcher.status()))))
  expect(folderTrouble(watcher.status())).toMatch(/the file system has not answered for 1 h 00 min \(readdir in /)
  expect(readdirSync(bench.inbox)).toEqual(['a.csv'])
  aheadMs = 0
  isAway = false
  answer.resolve()
  await until(() => bench.names('done').length === 1)
  await until(() => folderTrouble(watcher.status()) === undefined)
})

test.each<[string, string, (block: Promise<void>) => Partial<Disk>]>([
  [
    'reading a file that was taken',
    'read',
    (block) => ({
      async open(...given) {
        const file = await localDisk.open(...given)
        const read = file.read.bind(file)
        if (String(given[0]).endsWith('.csv'))
          file.read = (async (...how: Parameters<typeof read>) => {
            await block
            return read(...how)
          }) as typeof file.read
        return file
      },
    }),
  ],
  ['moving it to done', 'link', (block) => ({ link: (from, to) => block.then(() => localDisk.link(from, to)) })],
])('%s that is not answered is told, and the files of others are moved meanwhile', async (_what, call, disk) => {
  const bench = watching()
  const clock = depsOf(bench).clock
  let aheadMs = 0
  const answer = Promise.withResolvers<void>()
  const watcher = startWatcher({
    ...depsOf(bench),
    clock: { ...clock, steady: () => clock.steady() + aheadMs },
    disk: { ...localDisk, ...ofOne(disk(answer.promise)) },
  })
  onTestFinished(() => watcher.stop())
  const watch = bench.watch('settle: 400ms')
  const other = { id: 'other', path: 'others', done: 'filed' }
  watcher.replace([watch, { ...watch, trigger: { ...watch.trigger, ...other } }])
  writeFileSync(join(bench.inbox, 'a.csv'), 'x')
  await until(() => bench.occurrences().length === 1 || call === 'read')
  await until(() => bench.names('inbox').length === 0)
  mkdirSync(join(bench.folder, 'others'), { recursive: true })
  writeFileSync(join(bench.folder, 'others', 'b.csv'), 'y')
  await until(() => bench.names('filed').length === 1)
  aheadMs = 3_600_000
  await until(() => String(folderTrouble(watcher.status())).includes(`(${call} in `))
  answer.resolve()
  await until(() => bench.names('done').length === 1)
})

/** Replaces calls only on the folder `inbox`. */
function ofOne(disk: Partial<Disk>): Partial<Disk> {
  const isOfInbox = (path: unknown) =>
    String(path)
      .replace(/^\/proc\/self\/fd\/\d+/, (descriptor) => readlinkSync(descriptor))
      .includes('/inbox/')
  return Object.fromEntries(
    Object.entries(disk).map(([name, work]) => {
      const own = localDisk[name as keyof Disk] as (...given: unknown[]) => Promise<unknown>
      const held = work as (...given: unknown[]) => Promise<unknown>
      return [name, (...given: unknown[]) => (isOfInbox(given[0]) ? held(...given) : own(...given))]
    }),
  )
}
