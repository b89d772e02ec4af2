import { expect, test } from 'vitest'
import { MOVES, REF, watcherBench } from './watcher-bench.ts'

const bench = watcherBench()
const { endRuns, start, until } = bench

const KEEPS = { done: { act: 'keep' }, failed: { act: 'keep' } } as const
const PAIRS = { ...MOVES, waitFor: { kind: 'all', patterns: ['a_*.csv', 'b_*.csv'] } } as const
const NOTED = { ...REF, source: 'partner', path: 'in/*.csv', at: 1, waiting: 1 }
const look = async () =>
  (await bench.store.remote.looks()).find(({ pipeline, trigger }) => `${pipeline}.${trigger}` === 'p.drop')

test.each([
  ['of the same folder', {}, true],
  ['of another pipeline', { pipeline: 'a' }, false],
  ['of another trigger', { trigger: 'a' }, false],
  ['of another folder', { path: 'out/*.csv' }, false],
  ['of another source', { source: 'other' }, false],
])('what an earlier process noted %s counts, or not', async (_, other, counts) => {
  const since = Date.UTC(2026, 1, 1)
  await bench.there.put('in/a_1.csv', 'a@example.com\n')
  await bench.store.remote.looked({ ...NOTED, ...other, sets: [{ name: '1', since, missing: ['b_1.csv'] }] })
  start(PAIRS)
  await until(async () => expect((await look())?.at).toBeGreaterThan(1))
  const [set] = (await look())?.sets ?? []
  expect(set?.since === since).toBe(counts)
})

test.each([
  ['one of the acts leaves the folder', { done: MOVES.done, failed: KEEPS.failed }, 'source-read-only'],
  ['the other one does', { done: KEEPS.done, failed: MOVES.failed }, 'source-read-only'],
  ['none does', KEEPS, undefined],
])('that files may not be moved is a problem while %s', async (_, acts, code) => {
  await bench.there.put('in/a.csv', 'a@example.com\n')
  const tricks = { isReadOnly: () => true }
  start(MOVES, { tricks })
  await endRuns(1)
  await until(async () => expect((await look())?.problem?.code).toBe('source-read-only'))
  await bench.stop()
  const at = Number((await look())?.at)
  start(acts, { tricks })
  await until(async () => expect((await look())?.at).toBeGreaterThan(at))
  expect((await look())?.problem?.code).toBe(code)
})

test.each([1, 3])('looks that cannot be noted have failed, and the next one is noted: %i', async (failures) => {
  const problems: string[] = []
  const looked: typeof bench.store.remote.looked = async (one) => {
    if (one.problem) problems.push(one.problem.message)
    else if (problems.length < failures) throw new Error('the disk is full')
    await bench.store.remote.looked(one)
  }
  start(MOVES, { around: { remote: { ...bench.store.remote, looked } } })
  await until(async () => expect(await look()).toMatchObject({ problem: undefined, reachedAt: expect.any(Number) }))
  expect(problems).toEqual(Array.from({ length: failures }, () => 'the disk is full'))
  expect([...new Set(bench.logged.map(({ text }) => text))]).toEqual([
    'p/drop cannot check the source partner: the disk is full',
    'p/drop can reach the source partner again',
  ])
})

test.each([
  ['a file', KEEPS],
  ['a set', { ...KEEPS, waitFor: PAIRS.waitFor }],
])('the look that takes %s notes that it waits no more', async (_, acts) => {
  for (const name of ['a_1.csv', 'b_1.csv']) await bench.there.put(`in/${name}`, `${name}@example.com\n`)
  const noted: unknown[] = []
  const looked: typeof bench.store.remote.looked = async (one) => {
    const isTaken = (await bench.store.remote.files(REF)).length > 0
    if (isTaken) noted.push([one.waiting, one.sets ?? []])
    await bench.store.remote.looked(one)
  }
  start(acts, { around: { remote: { ...bench.store.remote, looked } } })
  await until(async () => expect(noted.length).toBeGreaterThan(0))
  expect(noted[0]).toEqual([0, []])
})
