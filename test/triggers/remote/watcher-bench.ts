import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import type { SteadyClock } from '../../../src/core/clock.ts'
import type { Firing } from '../../../src/core/fire.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import type { Pipeline } from '../../../src/core/pipeline.ts'
import type { RemoteSource } from '../../../src/core/remote-source.ts'
import type { RemoteAct, RemoteTrigger } from '../../../src/core/trigger.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import type { State } from '../../../src/state/state.ts'
import type { RemoteDeps } from '../../../src/triggers/remote/remote-watch.ts'
import { type RemoteWatcher, startRemoteWatcher } from '../../../src/triggers/remote/start-remote-watcher.ts'
import type { Place, RunWriter } from '../../contract/run-writer.ts'
import { type FolderTricks, folderSource } from '../../support/folder-source.ts'
import { remoteFolder } from '../../support/remote-folder.ts'
import { sqlitePlace } from '../../support/sqlite-place.ts'

type Store = Pick<State, 'remote' | 'occurrences'> & { readonly journal: RunWriter }

export const REF = { pipeline: 'p', trigger: 'drop' }
export const MOVES = {
  done: { act: 'move', folder: 'done' },
  failed: { act: 'move', folder: 'failed' },
} as const

/** Every sleep takes a fiftieth of its time. */
const IMPATIENT: SteadyClock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 50, signal) }

/** A line of the log. */
interface Logged {
  readonly level: 'info' | 'warn'
  readonly text: string
  readonly [fact: string]: unknown
}

interface Started extends Pick<RemoteTrigger, 'waitFor'> {
  readonly done: RemoteAct
  readonly failed: RemoteAct
}

/** The watcher of one trigger, with a folder as its source and a real store. Everything ends with the test. */
export function watcherBench() {
  let root: string
  let place: Place<Store, [string]>
  let store: Store
  let watcher: RemoteWatcher | undefined
  let there: ReturnType<typeof remoteFolder>
  const ended = new Set<string | undefined>()
  const logged: Logged[] = []
  /** The value of `trigger` in each run, by the key of its occurrence. */
  const values = new Map<string, JsonObject>()

  beforeEach(async () => {
    ended.clear()
    logged.length = 0
    values.clear()
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

  async function fire({ pipeline, trigger, key, at, detail, open, values: its = {} }: Firing) {
    const ref = { pipeline: pipeline.name, trigger: trigger.id, key }
    const known = await store.occurrences.find(ref)
    if (known) return known
    values.set(key, its)
    const record = {
      ...({ type: 'run.submitted', pipeline: 'p', file: 'p.yaml', folder: '/', text: '', digest: '' } as const),
      ...{ inputs: {}, trigger: { kind: 'watch' as const } },
    }
    const occurrence = { trigger: 'drop', key, at, detail, open }
    await store.journal.submit({ runId: `run-${key}`, at, record, occurrence })
    const fired = await store.occurrences.find(ref)
    if (!fired) throw new Error('there is no occurrence')
    return fired
  }

  const copies = () => join(root, 'copies')
  const all = () => store.occurrences.list({ ...REF, limit: 100 })
  const runs = async () => (await all()).filter(({ state }) => state === 'ran')
  const end = (runId = '', status: 'succeeded' | 'failed' = 'succeeded') =>
    store.journal.append(runId, [{ seq: 1, at: 20, record: { type: 'run.finished', status } }])
  const until = (condition: () => Promise<void>) => vi.waitFor(condition, { timeout: 100_000, interval: 50 })
  const logs = (level: Logged['level']) => (facts: object, text: string) => void logged.push({ level, text, ...facts })
  return {
    logged,
    values,
    all,
    runs,
    end,
    until,
    get store() {
      return store
    },
    get there() {
      return there
    },
    /** Starts the watcher, as a new process does, and returns it. */
    start(
      { done, failed, waitFor }: Started,
      {
        tricks,
        around = {},
        clock = IMPATIENT,
        everyMs = 1,
        ids = ['drop'],
        copiesIn = copies(),
      }: {
        readonly tricks?: FolderTricks
        readonly around?: Partial<Store>
        readonly clock?: SteadyClock
        readonly everyMs?: number
        readonly ids?: readonly string[]
        /** The folder of its copies, if another watcher would use the same one. */
        readonly copiesIn?: string
      } = {},
    ): RemoteWatcher {
      const trigger: RemoteTrigger = {
        ...{ kind: 'remote', id: 'drop', source: 'partner', path: 'in/*.csv', everyMs, settleMs: 1 },
        ...{ done, failed, waitFor },
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
        log: { info: logs('info'), warn: logs('warn') } as RemoteDeps['log'],
        whyFailed: async () => undefined,
        openSource: async () => source,
        copies: copiesIn,
      })
      watcher.replace(ids.map((id) => ({ pipeline, trigger: { ...trigger, id } })))
      return watcher
    },
    stop: () => watcher?.stop(),
    /** Waits for this many runs and ends them. */
    async endRuns(count: number, status?: 'succeeded' | 'failed'): Promise<void> {
      await until(async () => expect(await runs()).toHaveLength(count))
      for (const { runId, open } of await runs()) {
        if (!open || ended.has(runId)) continue
        ended.add(runId)
        await end(runId, status)
      }
    },
    /** The local path of a file of the source. */
    at: (path: string) => join(root, 'source', path),
    filesIn: async (folder: string) => (await there.names(folder)).filter((name) => !name.startsWith('.')),
    leftovers: async () => await readdir(join(copies(), '.taken')).catch((): string[] => []),
  }
}

/** A store whose process does nothing more after this call. */
export function mortal<T extends object>(target: T, isLast: (method: string) => boolean, when: 'before' | 'after'): T {
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

/** The calls after which a process dies, in their order: ledger, occurrence and run, ledger. */
export const KILLED = (['before', 'after'] as const).flatMap((when) => [
  ...['begin', 'note', 'remove'].map((method) => [when, 'remote', method] as const),
  ...['close'].map((method) => [when, 'occurrences', method] as const),
])
