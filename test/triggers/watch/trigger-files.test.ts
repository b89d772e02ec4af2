import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLimit } from '../../../src/core/one-at-a-time.ts'
import { localDisk } from '../../../src/triggers/watch/disk.ts'
import { watchFolders } from '../../../src/triggers/watch/folder-events.ts'
import { TriggerFiles } from '../../../src/triggers/watch/trigger-files.ts'
import type { WatchDeps } from '../../../src/triggers/watch/watch.ts'
import { DROP, depsOf, type Watching, watching } from './watching.ts'

/**
 * The largest number of files that a trigger may have in progress, and so the largest number that are moved away at the
 * same time.
 */
const MOST = 1000

/** The files of a trigger, with these dependencies in place of the bench's. */
function filesOf(bench: Watching, parts: Partial<WatchDeps> = {}): TriggerFiles {
  const around = { reading: createLimit(1), stopping: new AbortController().signal, onRoom: () => undefined }
  return new TriggerFiles(DROP, { ...depsOf(bench), disk: localDisk, watchFolders, ...parts }, around)
}

/**
 * Moves the files of ended runs away, page by page; none of them can be moved. Returns the number of pages it read and
 * the files it tried.
 */
async function fileAway(pages: readonly (readonly string[])[]) {
  const bench = watching()
  let asked = 0
  const ended = async () => {
    const names = pages[asked] ?? []
    asked += 1
    if (asked > pages.length + 1) throw new Error('it asks again and again')
    return names.map((name) => ({ occurrence: { ...DROP, key: name, at: 0, state: 'failed', detail: { file: name } } }))
  }
  const files = filesOf(bench, {
    occurrenceStore: { ...bench.occurrenceStore, ended } as typeof bench.occurrenceStore,
    checkFile: () => {
      throw new Error('not allowed')
    },
  })
  await files.fileEnded()
  const tried = bench.logged.filter(({ message }) => message === 'a file cannot be moved; this will be retried')
  return { asked, tried: tried.map(({ file }) => file) }
}

const full = Array.from({ length: MOST }, (_, number) => `a${number}.csv`)

test('after as many files as are put away at once come the others', async () => {
  const { asked, tried } = await fileAway([full, ['b.csv']])
  expect([asked, tried.length, tried.at(-1)]).toEqual([2, MOST + 1, 'b.csv'])
})

test('if none of so many files can be moved, it waits until they are tried again', async () => {
  const { asked, tried } = await fileAway([full, full])
  expect([asked, tried.length]).toEqual([2, MOST])
})

test('a file that was accounted for before a crash, and is still there, is put away by what the account says', async () => {
  const bench = watching()
  const files = filesOf(bench)
  for (const outcome of ['failed', 'succeeded', 'cancelled']) {
    const folder = join(bench.inbox, '.taken', 'drops.drop', `1-${outcome}~${outcome}`)
    const file = join(folder, `${outcome}.csv`)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(file, 'x')
    utimesSync(file, 0, 0)
    const looks = { size: 1, modifiedAt: new Date(0).toISOString() }
    const detail = { ...looks, ticket: `1-${outcome}`, outcome, file, name: `${outcome}.csv` }
    await bench.occurrenceStore.note(DROP, {
      occurrences: [{ key: outcome, at: 0, state: 'ran', runId: outcome, detail }],
    })
  }
  files.use(bench.watch())
  await files.recover(bench.inbox)
  expect(bench.names('done')).toEqual(['succeeded.csv'])
  expect(bench.names('failed').filter((name) => name.endsWith('.csv'))).toEqual(['cancelled.csv', 'failed.csv'])
  expect([files.size, bench.runs]).toEqual([0, []])
})
