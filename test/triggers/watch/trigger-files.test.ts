import { expect, test } from 'vitest'
import { createLimit } from '../../../src/core/one-at-a-time.ts'
import { localDisk } from '../../../src/triggers/watch/disk.ts'
import { watchFolders } from '../../../src/triggers/watch/folder-events.ts'
import { TriggerFiles } from '../../../src/triggers/watch/trigger-files.ts'
import { DROP, depsOf, watching } from './watching.ts'

/** The most files of a trigger in progress, and so the most that are put away at once. */
const MOST = 1000

/** Files away what has ended, page by page, none of which can be moved; tells how often it asked, and what it tried. */
async function fileAway(pages: readonly (readonly string[])[]) {
  const bench = watching()
  let asked = 0
  const ended = async () => {
    const names = pages[asked] ?? []
    asked += 1
    if (asked > pages.length + 1) throw new Error('it asks again and again')
    return names.map((name) => ({ occurrence: { ...DROP, key: name, at: 0, state: 'failed', detail: { file: name } } }))
  }
  const files = new TriggerFiles(
    DROP,
    {
      ...depsOf(bench),
      disk: localDisk,
      watchFolders,
      occurrenceStore: { ...bench.occurrenceStore, ended } as typeof bench.occurrenceStore,
      checkFile: () => {
        throw new Error('not allowed')
      },
    },
    { reading: createLimit(1), stopping: new AbortController().signal, onRoom: () => undefined },
  )
  await files.fileEnded()
  const tried = bench.logged.filter(({ message }) => message === 'a file cannot be moved, and is tried again')
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
