import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { SteadyClock } from '../../../src/core/clock.ts'
import type { Firing } from '../../../src/core/fire.ts'
import type { Pipeline, RemoteAct, RemoteTrigger } from '../../../src/core/pipeline.ts'
import { type RemoteErrorCode, remoteError } from '../../../src/core/remote-error.ts'
import type { RemoteSource } from '../../../src/core/remote-source.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import type { State } from '../../../src/state/state.ts'
import { type RemoteWatcher, startRemoteWatcher } from '../../../src/triggers/remote/start-remote-watcher.ts'
import type { Place, RunWriter } from '../../contract/run-writer.ts'
import { type FolderTricks, folderSource } from '../../support/folder-source.ts'
import { remoteFolder } from '../../support/remote-folder.ts'
import { sqlitePlace } from '../../support/sqlite-place.ts'

type Store = Pick<State, 'remote' | 'occurrences'> & { readonly journal: RunWriter }

const REF = { pipeline: 'p', trigger: 'drop' }
const MOVES = { done: { act: 'move', folder: 'done' }, failed: { act: 'move', folder: 'failed' } } as const

let root: string
let place: Place<Store, [string]>
let store: Store
let watcher: RemoteWatcher | undefined
let there: ReturnType<typeof remoteFolder>
const ended = new Set<string | undefined>()

beforeEach(async () => {
  ended.clear()
  root = await mkdtemp(join(tmpdir(), 'remote-watcher-'))
  await mkdir(join(root, 'source/in'), { recursive: true })
  there = remoteFolder(join(root, 'source'))
  place = sqlitePlace()
  store = await place.open('a')
})
afterEach(async () => {
  await watcher?.stop()
  watcher = undefined
  await store.journal.close()
  await place.remove()
  await rm(root, { recursive: true })
})

const copies = () => join(root, 'copies')

/** Starts the watcher of one trigger, as a new process does. */
function start(
  acts: { readonly done: RemoteAct; readonly failed: RemoteAct },
  {
    tricks,
    around = {},
    clock = systemClock,
    everyMs = 1,
    ids = ['drop'],
  }: {
    readonly tricks?: FolderTricks
    readonly around?: Partial<Store>
    readonly clock?: SteadyClock
    readonly everyMs?: number
    readonly ids?: readonly string[]
  } = {},
): void {
  const trigger: RemoteTrigger = {
    ...{ kind: 'remote', id: 'drop', source: 'partner', path: 'in/*.csv', everyMs, settleMs: 1, ...acts },
    ...{ repeat: false, precheck: { maxBytes: 1000, minimumShare: 0.9 }, inputs: {} },
    at: { file: 'p.yaml', line: 1, column: 1 },
  }
  const pipeline = { name: 'p', file: 'p.yaml' } as Pipeline
  const source: RemoteSource = folderSource(join(root, 'source'), tricks)
  const { occurrences } = { ...store, ...around }
  watcher = startRemoteWatcher({
    occurrenceStore: occurrences,
    ledger: around.remote ?? store.remote,
    fire,
    clock,
    random: () => 0,
    log: { info: () => undefined, warn: () => undefined },
    whyFailed: async () => undefined,
    openSource: async () => source,
    copies: copies(),
  })
  watcher.replace(ids.map((id) => ({ pipeline, trigger: { ...trigger, id } })))
}

async function fire({ pipeline, trigger, key, at, detail, open }: Firing) {
  const ref = { pipeline: pipeline.name, trigger: trigger.id, key }
  const known = await store.occurrences.find(ref)
  if (known) return known
  const record = {
    ...({ type: 'run.submitted', pipeline: 'p', file: 'p.yaml', folder: '/', text: '', digest: '' } as const),
    ...{ inputs: {}, trigger: { kind: 'watch' as const } },
  }
  await store.journal.submit({
    runId: `run-${key}`,
    at,
    record,
    occurrence: { trigger: 'drop', key, at, detail, open },
  })
  const fired = await store.occurrences.find(ref)
  if (!fired) throw new Error('there is no occurrence')
  return fired
}

const all = () => store.occurrences.list({ ...REF, limit: 100 })
const runs = async () => (await all()).filter(({ state }) => state === 'ran')
const end = (runId = '', status: 'succeeded' | 'failed' = 'succeeded') =>
  store.journal.append(runId, [{ seq: 1, at: 20, record: { type: 'run.finished', status } }])
const until = (condition: () => Promise<void>) => vi.waitFor(condition, { timeout: 30_000, interval: 50 })
/** Waits until there are so many runs and ends them. */
async function endRuns(count: number, status?: 'succeeded' | 'failed'): Promise<void> {
  await until(async () => expect(await runs()).toHaveLength(count))
  for (const { runId, open } of await runs()) {
    if (!open || ended.has(runId)) continue
    ended.add(runId)
    await end(runId, status)
  }
}
const filesIn = async (folder: string) => (await there.names(folder)).filter((name) => !name.startsWith('.'))
const leftovers = async () => await readdir(join(copies(), '.taken')).catch((): string[] => [])

test('each content has one run, and its files go where the document says', async () => {
  await there.put('in/a.csv', 'a@example.com\n')
  await there.put('in/b.csv', 'b@example.com\n')
  await there.put('in/again.csv', 'a@example.com\n')
  await there.put('in/empty.csv', '')
  await there.put('in/other.txt', 'c')
  start(MOVES)
  await endRuns(2)
  await until(async () => expect(await filesIn('done')).toEqual(['a.csv', 'again.csv', 'b.csv']))
  await until(async () => expect(await filesIn('failed')).toEqual(['empty.csv']))
  await until(async () => expect(await store.remote.files(REF)).toEqual([]))
  expect(await filesIn('in')).toEqual(['other.txt'])
  expect(await leftovers()).toEqual([])
  expect((await all()).map(({ state, reason }) => reason ?? state).sort()).toEqual([
    ...['duplicate', 'it is empty', 'ran', 'ran'],
  ])
})

test('a run gets a local copy, and its file goes to failed if it fails', async () => {
  await there.put('in/a.csv', 'a@example.com\n')
  start(MOVES)
  await until(async () => expect(await runs()).toHaveLength(1))
  const [run] = await runs()
  expect(await remoteFolder('/').content(String(run?.detail?.file))).toBe('a@example.com\n')
  await end(run?.runId, 'failed')
  await until(async () => expect(await filesIn('failed')).toEqual(['a.csv']))
})

test('what is kept is read once, also by the next process, until it changes', async () => {
  await there.put('in/a.csv', 'a@example.com\n', Date.UTC(2026, 1, 1))
  const reads: string[] = []
  const tricks: FolderTricks = { before: (act, path) => void (act === 'read' && reads.push(path)) }
  const acts = { done: { act: 'keep' }, failed: { act: 'keep' } } as const
  start(acts, { tricks })
  await endRuns(1)
  await until(async () => expect(await store.remote.files(REF)).toMatchObject([{ state: 'kept' }]))
  await watcher?.stop()
  start(acts, { tricks })
  // The next one comes long after a look that found the first.
  await until(async () => expect((await store.remote.looks())[0]?.waiting).toBe(0))
  await there.put('in/b.csv', 'b@example.com\n')
  await endRuns(2)
  await there.put('in/a.csv', 'other@example.com\n', Date.UTC(2026, 1, 2))
  await endRuns(3)
  expect(reads).toEqual(['in/a.csv', 'in/b.csv', 'in/a.csv'])
  expect(await filesIn('in')).toEqual(['a.csv', 'b.csv'])
})

test('an account that may not move files has its runs all the same, each once', async () => {
  await there.put('in/a.csv', 'a@example.com\n')
  start(MOVES, { tricks: { isReadOnly: () => true } })
  await endRuns(1)
  await until(async () => expect(await store.remote.files(REF)).toMatchObject([{ state: 'kept' }]))
  await until(async () =>
    expect(await store.remote.looks()).toMatchObject([{ waiting: 0, problem: { code: 'source-read-only' } }]),
  )
  expect(await filesIn('in')).toEqual(['a.csv'])
})

/** The calls of a store, of which this one is the last: after it the process does nothing more. */
function mortal<T extends object>(target: T, isLast: (method: string) => boolean, when: 'before' | 'after'): T {
  let isDead = false
  return new Proxy(target, {
    get(its, name) {
      const method = Reflect.get(its, name)
      if (typeof method !== 'function') return method
      return async (...args: unknown[]) => {
        if (isDead) throw new Error('killed')
        const isEnd = isLast(String(name))
        if (isEnd) isDead = true
        if (isEnd && when === 'before') throw new Error('killed')
        const result = await method.apply(its, args)
        if (isEnd) throw new Error('killed')
        return result
      }
    },
  })
}

const KILLED = (['before', 'after'] as const).flatMap((when) => [
  ...['begin', 'note', 'remove'].map((method) => [when, 'remote', method] as const),
  ...['close'].map((method) => [when, 'occurrences', method] as const),
])

test.each(KILLED)('killed %s %s.%s, the next process finishes the work', async (when, part, method) => {
  await there.put('in/a.csv', 'a@example.com\n')
  let isHit = false
  const isLast = (name: string) => {
    // Nothing is removed before the end but what was forgotten.
    const isIt = name === method && (method !== 'remove' || isFiled)
    isHit ||= isIt
    return isIt
  }
  let isFiled = false
  const before = (act: keyof RemoteSource) => {
    isFiled ||= act === 'move'
  }
  start(MOVES, { tricks: { before }, around: { [part]: mortal(store[part], isLast, when) } })
  if (method === 'remove' || method === 'close') await endRuns(1)
  await until(async () => expect(isHit).toBe(true))
  await watcher?.stop()
  start(MOVES)
  await endRuns(1)
  await until(async () => expect(await filesIn('done')).toEqual(['a.csv']))
  await until(async () => expect(await store.remote.files(REF)).toEqual([]))
  expect(await runs()).toHaveLength(1)
  expect(await there.names('in/.taken')).toEqual([])
  expect(await leftovers()).toEqual([])
})

test.each(['take', 'read', 'move'] as const)('a connection that ends at each %s loses nothing', async (act) => {
  await there.put('in/a.csv', 'a@example.com\n')
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
  await watcher?.stop()
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
  const look = async () => (await store.remote.looks())[0]
  start(MOVES, { tricks: { before } })
  await until(async () =>
    expect((await look())?.problem).toMatchObject({ code, message: 'it is source-unreachable', hint: 'ask' }),
  )
  const begun = await look()
  expect(begun?.reachedAt).toBeUndefined()
  await watcher?.stop()
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
  await there.put('in/a.csv', 'a@example.com\n')
  start(MOVES, { tricks: { isReadOnly: () => isReadOnly } })
  await endRuns(1)
  const problem = async () => (await store.remote.looks())[0]?.problem?.code
  await until(async () => expect(await problem()).toBe('source-read-only'))
  await watcher?.stop()
  start(MOVES, { tricks: { isReadOnly: () => isReadOnly } })
  const at = (await store.remote.looks())[0]?.at
  await until(async () => expect((await store.remote.looks())[0]?.at).toBeGreaterThan(Number(at)))
  expect(await problem()).toBe('source-read-only')
  isReadOnly = false
  await there.put('in/b.csv', 'b@example.com\n')
  await endRuns(2)
  await until(async () => expect(await problem()).toBeUndefined())
})

/** No time passes, but everybody who sleeps sees others have their turn. */
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
  // The watcher itself looks each second what has ended. With this chance a rest is three quarters long.
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
