import { expect, onTestFinished, test } from 'vitest'
import type { SteadyClock } from '../../../src/core/clock.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { MOVES, mortal, REF, watcherBench } from './watcher-bench.ts'

const bench = watcherBench()
const { end, endRuns, filesIn, runs, start, until } = bench

const KEEPS = { done: { act: 'keep' }, failed: { act: 'keep' } } as const
const PAIRS = { waitFor: { kind: 'all', patterns: ['a_*.csv', 'b_*.csv'] } } as const
const warnings = () => bench.logged.filter(({ level }) => level === 'warn').map(({ text }) => text)
const isOver = () => until(async () => expect(await bench.store.remote.files(REF)).toEqual([]))

/** Sleepers sleep until the end, so everything happens without a second look. */
function sleepyClock(): SteadyClock {
  let looks = 0
  // The first pass over ended runs, and two looks at the folder: one look cannot show whether a file changes.
  const sleep = (ms: number, signal?: AbortSignal) => {
    const isLook = ms < 1000
    if (isLook) looks += 1
    return systemClock.sleep(isLook && looks <= 2 ? 20 : 2 ** 30, signal)
  }
  return { ...systemClock, sleep }
}

test('a file without a run is put away at once, not with those whose runs have ended', async () => {
  await bench.there.put('in/empty.csv', '')
  start(MOVES, { clock: sleepyClock(), everyMs: 400 })
  await until(async () => expect(await filesIn('failed')).toEqual(['empty.csv']))
  await isOver()
})

test('of two files with the same content, the second is asked about when the first has its run', async () => {
  await bench.there.put('in/a.csv', 'a@example.com\n')
  await bench.there.put('in/b.csv', 'a@example.com\n')
  let reads = 0
  const note: typeof bench.store.remote.note = async (...args) => {
    await until(async () => expect(reads).toBe(2))
    for (let turns = 0; turns < 200; turns += 1) await new Promise(setImmediate)
    return bench.store.remote.note(...args)
  }
  const before = (act: string) => {
    if (act === 'read') reads += 1
  }
  start(MOVES, { tricks: { before }, around: { remote: { ...bench.store.remote, note } } })
  await endRuns(1)
  await until(async () => expect(await filesIn('done')).toEqual(['a.csv', 'b.csv']))
  expect(warnings()).toEqual([])
})

test('the log says which file was taken for which run, and which has none', async () => {
  await bench.there.put('in/a.csv', 'a@example.com\n')
  await bench.there.put('in/empty.csv', '')
  start(MOVES)
  await endRuns(1)
  await isOver()
  const [run] = await runs()
  const took = bench.logged.filter(({ text }) => text.includes(' took '))
  expect(took.map(({ text }) => text).sort()).toEqual([
    `p/drop took the file a.csv for the run ${run?.runId}`,
    'p/drop took the file empty.csv; it has no run: it is empty',
  ])
  expect(took.find(({ runId }) => runId === run?.runId)).toMatchObject({
    ...REF,
    ...{ level: 'info', source: 'partner', file: 'in/a.csv', state: 'ran' },
  })
})

test('the log says of a set that it is one', async () => {
  for (const name of ['a_1.csv', 'b_1.csv']) await bench.there.put(`in/${name}`, `${name}@example.com\n`)
  start({ ...KEEPS, ...PAIRS })
  await endRuns(1)
  const [run] = await runs()
  await until(async () =>
    expect(bench.logged.map(({ text }) => text)).toContain(`p/drop took the set 1 for the run ${run?.runId}`),
  )
})

test('the run of another watcher has ended, and that watcher dies: this one closes what it has read', async () => {
  await bench.there.put('in/a.csv', 'a@example.com\n')
  const isFound = Promise.withResolvers<void>()
  const isRead = Promise.withResolvers<void>()
  const first = start(MOVES, {
    tricks: { before: async (act) => (act === 'read' ? await isFound.promise : undefined) },
    around: { occurrences: mortal(bench.store.occurrences, (name) => name === 'close', 'after') },
  })
  onTestFinished(() => first.stop())
  await until(async () => expect(await bench.store.remote.files(REF)).toHaveLength(1))
  const { find } = bench.store.occurrences
  const late: typeof find = async (ref) => {
    if (/^[0-9a-f]{64}$/.test(ref.key)) {
      isRead.resolve()
      await until(async () => expect(await find(ref)).toMatchObject({ detail: { outcome: 'succeeded' } }))
    }
    return find(ref)
  }
  bench.logged.length = 0
  start(MOVES, {
    tricks: { before: (act) => (act === 'read' ? isFound.resolve() : undefined) },
    // The first watcher always handles ended runs first.
    around: { occurrences: { ...bench.store.occurrences, find: late, ended: async () => [] } },
    copiesIn: tempFolder(),
  })
  await isRead.promise
  await until(async () => expect(await runs()).toHaveLength(1))
  await end((await runs())[0]?.runId)
  await isOver()
  expect(warnings()).not.toContain('a remote file cannot be processed yet; this will be retried')
})
