import { appendFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { RemoteSource } from '../../../src/core/remote-source.ts'
import { remoteFolder } from '../../support/remote-folder.ts'
import { MOVES, REF, watcherBench } from './watcher-bench.ts'

const bench = watcherBench()
const { endRuns, filesIn, leftovers, runs, start, until } = bench

test('of two watchers that know of each other only by the state, one takes each file', async () => {
  const names = Array.from({ length: 12 }, (_, at) => `${String(at).padStart(2, '0')}.csv`)
  for (const name of names) await bench.there.put(`in/${name}`, `${name}@example.com\n`)
  const other = start(MOVES)
  onTestFinished(() => other.stop())
  start(MOVES)
  await endRuns(names.length)
  await until(async () => expect(await filesIn('done')).toEqual(names))
  await until(async () => expect(await bench.store.remote.files(REF)).toEqual([]))
  expect(await runs()).toHaveLength(names.length)
  expect(await filesIn('in')).toEqual([])
  // The other one may still be looking at the last file.
  await until(async () => expect(await leftovers()).toEqual([]))
})

test('a watcher that has read a file when the run of another one has ended: the file has that run alone', async () => {
  await bench.there.put('in/a.csv', 'a@example.com\n')
  const isTaken = Promise.withResolvers<void>()
  const isFound = Promise.withResolvers<void>()
  const isRead = Promise.withResolvers<void>()
  const before = async (act: keyof RemoteSource) => {
    if (act !== 'read') return
    isTaken.resolve()
    await isFound.promise
  }
  const first = start(MOVES, { tricks: { before } })
  onTestFinished(() => first.stop())
  // Only now: a watcher that looks while the file is being taken finds it nowhere.
  await isTaken.promise
  const { find } = bench.store.occurrences
  const late: typeof find = async (ref) => {
    if (/^[0-9a-f]{64}$/.test(ref.key)) {
      isRead.resolve()
      await until(async () => expect(await find(ref)).toMatchObject({ detail: { outcome: 'failed' } }))
    }
    return find(ref)
  }
  start(MOVES, {
    tricks: { before: (act) => (act === 'read' ? isFound.resolve() : undefined) },
    around: { occurrences: { ...bench.store.occurrences, find: late } },
  })
  await isRead.promise
  await endRuns(1, 'failed')
  await until(async () => expect(await filesIn('failed')).toEqual(['a.csv']))
  await bench.stop()
  expect(await bench.all()).toHaveLength(1)
  expect(await bench.store.remote.files(REF)).toEqual([])
  expect(await leftovers()).toEqual([])
})

test('a writer that still writes to a file that was taken: its run gets all of it', async () => {
  await bench.there.put('in/a.csv', 'a@example.com\n')
  let writes = 0
  let isRead = false
  const before = async (act: keyof RemoteSource, path: string) => {
    if (act === 'read') isRead = true
    if (act !== 'look' || !isRead || writes === 3) return
    isRead = false
    await appendFile(bench.at(path), `${++writes}@example.com\n`)
  }
  start(MOVES, { tricks: { before } })
  await until(async () => expect(await runs()).toHaveLength(1))
  const [run] = await runs()
  const content = await remoteFolder('/').content(String(run?.detail?.file))
  expect(content).toBe('a@example.com\n1@example.com\n2@example.com\n3@example.com\n')
  await endRuns(1)
  await until(async () => expect(await filesIn('done')).toEqual(['a.csv']))
  expect(await runs()).toHaveLength(1)
})
