import { rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { RemoteSource } from '../../../src/core/remote-source.ts'
import { remoteFolder } from '../../support/remote-folder.ts'
import { KILLED, MOVES, mortal, REF, watcherBench } from './watcher-bench.ts'

const bench = watcherBench()
const { all, endRuns, filesIn, leftovers, runs, start, until, values } = bench

const PAIRS = { ...MOVES, waitFor: { kind: 'all', patterns: ['a_*.csv', 'b_*.csv'] } } as const
const MANIFESTS = { ...MOVES, waitFor: { kind: 'manifest', pattern: '*.done' } } as const

const put = async (...names: readonly string[]) => {
  for (const name of names) await bench.there.put(`in/${name}`, `${name}@example.com\n`)
}
const waitingSets = async () =>
  (await bench.store.remote.looks())[0]?.sets?.map(({ name, missing }) => [name, ...missing])
const isOver = async () => {
  await until(async () => expect(await bench.store.remote.files(REF)).toEqual([]))
  expect(await bench.there.names('in/.taken')).toEqual([])
  expect(await leftovers()).toEqual([])
}

test('each set of files has one run, which gets all of them in the order of the patterns', async () => {
  await put('b_1.csv', 'a_2.csv', 'other.csv')
  start(PAIRS)
  await until(async () =>
    expect(await waitingSets()).toEqual([
      ['1', 'a_1.csv'],
      ['2', 'b_2.csv'],
    ]),
  )
  expect(await all()).toEqual([])
  await put('a_1.csv')
  await until(async () => expect(await runs()).toHaveLength(1))
  const [{ names, set, file, files } = {}] = values.values()
  expect({ names, set, file }).toEqual({ names: ['a_1.csv', 'b_1.csv'], set: '1', file: undefined })
  const contents = await Promise.all((files as string[]).map((path) => remoteFolder('/').content(path)))
  expect(contents).toEqual(['a_1.csv@example.com\n', 'b_1.csv@example.com\n'])
  await endRuns(1)
  await until(async () => expect(await filesIn('done')).toEqual(['a_1.csv', 'b_1.csv']))
  await isOver()
  expect(await filesIn('in')).toEqual(['a_2.csv', 'other.csv'])
})

test('a manifest releases the files of its name, and is no file of the run', async () => {
  await put('x.1.csv', 'x.2.csv', 'xy.csv')
  start(MANIFESTS)
  await until(async () => expect(await waitingSets()).toHaveLength(3))
  await bench.there.put('in/x.done', '')
  await until(async () => expect(await runs()).toHaveLength(1))
  expect([...values.values()]).toMatchObject([{ names: ['x.1.csv', 'x.2.csv'], set: 'x' }])
  await endRuns(1)
  await until(async () => expect(await filesIn('done')).toEqual(['x.1.csv', 'x.2.csv', 'x.done']))
  await isOver()
  expect(await filesIn('in')).toEqual(['xy.csv'])
})

test('a set whose time is over gets no run: its files go to failed, and the occurrence says what is missing', async () => {
  await put('a_1.csv')
  start({ ...PAIRS, waitFor: { ...PAIRS.waitFor, withinMs: 1 } })
  await until(async () => expect(await filesIn('failed')).toEqual(['a_1.csv']))
  await isOver()
  expect(await all()).toMatchObject([
    {
      ...{ state: 'failed', detail: { set: '1', code: 'source-set-incomplete' } },
      reason: 'b_1.csv is missing, 0.0 s after the first file of the set arrived',
    },
  ])
})

test('the time of a set goes on through a restart', async () => {
  await put('a_1.csv')
  const hour = { ...PAIRS, waitFor: { ...PAIRS.waitFor, withinMs: 3_600_000 } }
  start(hour)
  await until(async () => expect(await waitingSets()).toEqual([['1', 'b_1.csv']]))
  await bench.stop()
  const [before] = await bench.store.remote.looks()
  start(hour)
  await until(async () => expect((await bench.store.remote.looks())[0]?.at).not.toBe(before?.at))
  expect((await bench.store.remote.looks())[0]?.sets).toEqual(before?.sets)
})

test('the same contents have one run, until one of the files of the set changes', async () => {
  const KEEPS = { ...PAIRS, done: { act: 'keep' }, failed: { act: 'keep' } } as const
  await put('a_1.csv', 'b_1.csv')
  start(KEEPS)
  await endRuns(1)
  await until(async () => expect(await bench.store.remote.files(REF)).toMatchObject([{ state: 'kept' }]))
  await bench.there.put('in/a_2.csv', 'a_1.csv@example.com\n')
  await bench.there.put('in/b_2.csv', 'b_1.csv@example.com\n')
  await until(async () => expect((await all()).map(({ reason }) => reason)).toContain('duplicate'))
  await bench.there.put('in/b_1.csv', 'other@example.com\n', Date.UTC(2026, 1, 2))
  await endRuns(2)
  expect(await filesIn('in')).toEqual(['a_1.csv', 'a_2.csv', 'b_1.csv', 'b_2.csv'])
})

test('one file that no run can use fails its whole set', async () => {
  await put('a_1.csv')
  await bench.there.put('in/b_1.csv', '')
  start(PAIRS)
  await until(async () => expect(await filesIn('failed')).toEqual(['a_1.csv', 'b_1.csv']))
  expect((await all()).map(({ reason }) => reason)).toEqual(['b_1.csv: it is empty'])
})

test('a set that loses a file while it is taken fails, and nothing of it is lost', async () => {
  await put('a_1.csv', 'b_1.csv')
  let isGone = false
  const before = async (act: keyof RemoteSource, path: string) => {
    if (act !== 'take' || path !== 'in/b_1.csv' || isGone) return
    isGone = true
    await rm(bench.at('in/b_1.csv'))
  }
  start(PAIRS, { tricks: { before } })
  await until(async () => expect(await filesIn('failed')).toEqual(['a_1.csv']))
  expect((await all()).map(({ reason }) => reason)).toEqual([
    'b_1.csv is gone: it disappeared while the set was being taken',
  ])
  await isOver()
})

test('a set of too many files stays where it is, and the look says so', async () => {
  await put(...Array.from({ length: 51 }, (_, at) => `x.${at}.csv`))
  await bench.there.put('in/x.done', '')
  start(MANIFESTS)
  await until(async () =>
    expect(await bench.store.remote.looks()).toMatchObject([
      { problem: { code: 'source-too-many', message: 'the set x has more than 50 files, so it is not taken' } },
    ]),
  )
  expect(await filesIn('in')).toHaveLength(52)
})

test.each(KILLED)('killed %s %s.%s, the next process finishes the set', async (when, part, method) => {
  await put('a_1.csv', 'b_1.csv')
  let isHit = false
  let isFiled = false
  const isLast = (name: string) => {
    // Before the end, only forgotten files are removed.
    const isIt = name === method && (method !== 'remove' || isFiled)
    isHit ||= isIt
    return isIt
  }
  const before = (act: keyof RemoteSource) => {
    isFiled ||= act === 'move'
  }
  start(PAIRS, { tricks: { before }, around: { [part]: mortal(bench.store[part], isLast, when) } })
  if (method === 'remove' || method === 'close') await endRuns(1)
  await until(async () => expect(isHit).toBe(true))
  await bench.stop()
  start(PAIRS)
  await endRuns(1)
  await until(async () => expect(await filesIn('done')).toEqual(['a_1.csv', 'b_1.csv']))
  await isOver()
  expect(await runs()).toHaveLength(1)
})

const CUTS = (['take', 'read', 'move'] as const).flatMap((act) =>
  ['a_1.csv', 'b_1.csv'].map((name) => [act, name] as const),
)

test.each(CUTS)('a connection that ends at each %s of %s loses nothing', async (act, name) => {
  await put('a_1.csv', 'b_1.csv')
  let isDown = true
  let isHit = false
  const before = (each: keyof RemoteSource, path: string) => {
    if (!isDown || each !== act || !path.endsWith(name)) return
    isHit = true
    throw new Error('the connection ended')
  }
  start(PAIRS, { tricks: { before } })
  if (act === 'move') await endRuns(1)
  await until(async () => expect(isHit).toBe(true))
  await bench.stop()
  isDown = false
  start(PAIRS)
  await endRuns(1)
  await until(async () => expect(await filesIn('done')).toEqual(['a_1.csv', 'b_1.csv']))
  await isOver()
  expect(await runs()).toHaveLength(1)
})
