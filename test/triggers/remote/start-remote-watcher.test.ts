import { expect, test } from 'vitest'
import { type RemoteErrorCode, remoteError } from '../../../src/core/remote-error.ts'
import type { RemoteSource } from '../../../src/core/remote-source.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import type { FolderTricks } from '../../support/folder-source.ts'
import { remoteFolder } from '../../support/remote-folder.ts'
import { KILLED, MOVES, mortal, REF, watcherBench } from './watcher-bench.ts'

const bench = watcherBench()
const { all, end, endRuns, filesIn, leftovers, runs, start, until } = bench

test('each content has one run, and its files go where the document says', async () => {
  await bench.there.put('in/a.csv', 'a@example.com\n')
  await bench.there.put('in/b.csv', 'b@example.com\n')
  await bench.there.put('in/again.csv', 'a@example.com\n')
  await bench.there.put('in/empty.csv', '')
  await bench.there.put('in/other.txt', 'c')
  start(MOVES)
  await endRuns(2)
  await until(async () => expect(await filesIn('done')).toEqual(['a.csv', 'again.csv', 'b.csv']))
  await until(async () => expect(await filesIn('failed')).toEqual(['empty.csv']))
  await until(async () => expect(await bench.store.remote.files(REF)).toEqual([]))
  expect(await filesIn('in')).toEqual(['other.txt'])
  expect(await leftovers()).toEqual([])
  expect((await all()).map(({ state, reason }) => reason ?? state).sort()).toEqual([
    ...['duplicate', 'it is empty', 'ran', 'ran'],
  ])
})

test('a run gets a local copy, and its file goes to failed if it fails', async () => {
  await bench.there.put('in/a.csv', 'a@example.com\n')
  start(MOVES)
  await until(async () => expect(await runs()).toHaveLength(1))
  const [run] = await runs()
  expect(await remoteFolder('/').content(String(run?.detail?.file))).toBe('a@example.com\n')
  await end(run?.runId, 'failed')
  await until(async () => expect(await filesIn('failed')).toEqual(['a.csv']))
})

test('what is kept is read once, also by the next process, until it changes', async () => {
  await bench.there.put('in/a.csv', 'a@example.com\n', Date.UTC(2026, 1, 1))
  const reads: string[] = []
  const tricks: FolderTricks = { before: (act, path) => void (act === 'read' && reads.push(path)) }
  const acts = { done: { act: 'keep' }, failed: { act: 'keep' } } as const
  start(acts, { tricks })
  await endRuns(1)
  await until(async () => expect(await bench.store.remote.files(REF)).toMatchObject([{ state: 'kept' }]))
  await bench.stop()
  start(acts, { tricks })
  // The next file comes long after the look that found the first.
  await until(async () => expect((await bench.store.remote.looks())[0]?.waiting).toBe(0))
  await bench.there.put('in/b.csv', 'b@example.com\n')
  await endRuns(2)
  await bench.there.put('in/a.csv', 'other@example.com\n', Date.UTC(2026, 1, 2))
  await endRuns(3)
  expect(reads).toEqual(['in/a.csv', 'in/b.csv', 'in/a.csv'])
  expect(await filesIn('in')).toEqual(['a.csv', 'b.csv'])
})

test('an account that may not move files has its runs all the same, each once', async () => {
  await bench.there.put('in/a.csv', 'a@example.com\n')
  start(MOVES, { tricks: { isReadOnly: () => true } })
  await endRuns(1)
  await until(async () => expect(await bench.store.remote.files(REF)).toMatchObject([{ state: 'kept' }]))
  await until(async () =>
    expect(await bench.store.remote.looks()).toMatchObject([{ waiting: 0, problem: { code: 'source-read-only' } }]),
  )
  expect(await filesIn('in')).toEqual(['a.csv'])
})

test.each(KILLED)('killed %s %s.%s, the next process finishes the work', async (when, part, method) => {
  await bench.there.put('in/a.csv', 'a@example.com\n')
  let isHit = false
  const isLast = (name: string) => {
    // Before the end, only forgotten files are removed.
    const isIt = name === method && (method !== 'remove' || isFiled)
    isHit ||= isIt
    return isIt
  }
  let isFiled = false
  const before = (act: keyof RemoteSource) => {
    isFiled ||= act === 'move'
  }
  start(MOVES, { tricks: { before }, around: { [part]: mortal(bench.store[part], isLast, when) } })
  if (method === 'remove' || method === 'close') await endRuns(1)
  await until(async () => expect(isHit).toBe(true))
  await bench.stop()
  start(MOVES)
  await endRuns(1)
  await until(async () => expect(await filesIn('done')).toEqual(['a.csv']))
  await until(async () => expect(await bench.store.remote.files(REF)).toEqual([]))
  expect(await runs()).toHaveLength(1)
  expect(await bench.there.names('in/.taken')).toEqual([])
  expect(await leftovers()).toEqual([])
})

test.each(['take', 'read', 'move'] as const)('a connection that ends at each %s loses nothing', async (act) => {
  await bench.there.put('in/a.csv', 'a@example.com\n')
  let isDown = true
  let isHit = false
  const before = (each: keyof RemoteSource) => {
    if (!isDown || each !== act) return
    isHit = true
    throw new Error('the connection ended')
  }
  start(MOVES, { tricks: { before } })
  if (act === 'move') await endRuns(1)
  await until(async () => expect(isHit).toBe(true))
  await bench.stop()
  isDown = false
  start(MOVES)
  await endRuns(1)
  await until(async () => expect(await filesIn('done')).toEqual(['a.csv']))
  expect(await runs()).toHaveLength(1)
})

test('what fails is known until it is over, also to the next process', async () => {
  let code: RemoteErrorCode | undefined = 'source-unreachable'
  const before = (act: keyof RemoteSource) => {
    if (act === 'list' && code) throw remoteError(code, { message: `it is ${code}`, hint: 'ask' })
  }
  const look = async () => (await bench.store.remote.looks())[0]
  start(MOVES, { tricks: { before } })
  await until(async () =>
    expect((await look())?.problem).toMatchObject({ code, message: 'it is source-unreachable', hint: 'ask' }),
  )
  const begun = await look()
  expect(begun?.reachedAt).toBeUndefined()
  await bench.stop()
  start(MOVES, { tricks: { before } })
  await until(async () => expect((await look())?.at).toBeGreaterThan(Number(begun?.at)))
  expect((await look())?.problem?.since).toBe(begun?.problem?.since)
  code = 'source-host-key'
  await until(async () => expect((await look())?.problem?.code).toBe(code))
  code = undefined
  await until(async () => expect(await look()).toMatchObject({ problem: undefined, reachedAt: expect.any(Number) }))
})

test('an account that may move files again is no problem any more', async () => {
  let isReadOnly = true
  await bench.there.put('in/a.csv', 'a@example.com\n')
  start(MOVES, { tricks: { isReadOnly: () => isReadOnly } })
  await endRuns(1)
  const problem = async () => (await bench.store.remote.looks())[0]?.problem?.code
  await until(async () => expect(await problem()).toBe('source-read-only'))
  await bench.stop()
  start(MOVES, { tricks: { isReadOnly: () => isReadOnly } })
  const at = (await bench.store.remote.looks())[0]?.at
  await until(async () => expect((await bench.store.remote.looks())[0]?.at).toBeGreaterThan(Number(at)))
  expect(await problem()).toBe('source-read-only')
  isReadOnly = false
  await bench.there.put('in/b.csv', 'b@example.com\n')
  await endRuns(2)
  await until(async () => expect(await problem()).toBeUndefined())
})

/** No time passes, but a sleeper lets others have their turn. */
function hastyClock() {
  const rests: number[] = []
  const sleep = async (ms: number, signal?: AbortSignal) => {
    rests.push(ms)
    await new Promise(setImmediate)
    signal?.throwIfAborted()
  }
  return { clock: { ...systemClock, sleep }, rests }
}

test.each([
  ['each minute', 60_000, [1, 2, 4, 8, 15, 15]],
  ['once a day', 86_400_000, [15, 15, 15]],
])('looks %s get rarer while they fail, and come every 15 minutes at the latest', async (_, everyMs, minutes) => {
  const { clock, rests } = hastyClock()
  let looks = 0
  const before = (act: keyof RemoteSource) => {
    if (act !== 'list') return
    looks += 1
    throw new Error('the connection ended')
  }
  start(MOVES, { tricks: { before }, clock, everyMs })
  await until(async () => expect(looks).toBeGreaterThan(minutes.length))
  // The watcher itself checks for ended runs every second. With this random value, a pause has three quarters of its
  // length.
  const between = rests.filter((ms) => ms > 1000).slice(0, minutes.length)
  expect(between).toEqual(minutes.map((each) => each * 45_000))
})

test('triggers of one source look at it one after another', async () => {
  const { clock } = hastyClock()
  let [now, most, looks] = [0, 0, 0]
  const before = async (act: keyof RemoteSource) => {
    if (act !== 'list') return
    now += 1
    looks += 1
    most = Math.max(most, now)
    await new Promise(setImmediate)
    now -= 1
  }
  start(MOVES, { tricks: { before }, clock, ids: ['drop', 'again', 'once-more'] })
  await until(async () => expect(looks).toBeGreaterThan(10))
  expect(most).toBe(1)
})
