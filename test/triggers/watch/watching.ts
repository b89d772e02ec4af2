import { existsSync, mkdirSync, type PathLike, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { SteadyClock } from '../../../src/core/clock.ts'
import type { ErrorReport } from '../../../src/core/errors.ts'
import type { Fire, Firing } from '../../../src/core/fire.ts'
import type { Occurrence } from '../../../src/core/occurrence.ts'
import type { FinalStatus } from '../../../src/core/run.ts'
import { loadPipeline } from '../../../src/pipeline/load-pipeline.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { startWatcher, type Watcher } from '../../../src/triggers/watch/start-watcher.ts'
import type { Watch, WatchDeps } from '../../../src/triggers/watch/watch.ts'
import { stepTypes } from '../../pipeline/step-types.ts'
import { type MemoryOccurrenceStore, memoryOccurrenceStore } from '../../support/memory-occurrence-store.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** How many times faster than real time the clock runs. */
const SPEED = 40

const fastClock: SteadyClock = {
  now: () => systemClock.now() * SPEED,
  steady: () => systemClock.steady() * SPEED,
  sleep: (ms, signal) => systemClock.sleep(ms / SPEED, signal),
  timer: (ms, ring) => systemClock.timer(ms / SPEED, ring),
}

/** Whether a path leads to a file of the watched folder: by its name, or from the open `.taken` in it. */
export function isInInbox(path: PathLike, name: string): boolean {
  return [`/inbox/${name}`, `/../${name}`].some((end) => String(path).endsWith(end))
}

/** A run as the fake engine knows it. */
interface FakeRun {
  readonly runId: string
  readonly firing: Firing
  /** The content that the run read from its file. */
  readonly content: string
}

export interface Watching {
  /** The folder of the document. */
  readonly folder: string
  readonly inbox: string
  readonly occurrenceStore: MemoryOccurrenceStore
  readonly runs: FakeRun[]
  readonly logged: Record<string, unknown>[]
  /** How runs end; undefined: they continue until the occurrence store's `end` is called. */
  ending: ((firing: Firing) => FinalStatus | undefined) | undefined
  readonly watch: (keys?: string) => Watch
  /** Starts watching. The document's `watch` has these keys besides its folders. */
  readonly start: (keys?: string, deps?: Partial<WatchDeps>) => Watcher
  /** The names in a folder below the document's, hidden ones left out, in order. */
  readonly names: (folder: string) => string[]
  readonly read: (path: string) => string
  readonly occurrences: () => readonly Occurrence[]
}

export const DROP = { pipeline: 'drops', trigger: 'drop' }

/** A document with a watched folder, an engine whose runs do nothing, and an occurrence store in memory. */
export function watching(): Watching {
  const folder = tempFolder()
  const occurrenceStore = memoryOccurrenceStore()
  const bench: Watching = {
    folder,
    inbox: join(folder, 'inbox'),
    occurrenceStore,
    runs: [],
    logged: [],
    ending: () => 'succeeded',
    watch: (keys = '') => watchOf(folder, keys),
    start(keys, deps) {
      const watcher = startWatcher({ ...depsOf(bench), ...deps })
      onTestFinished(() => watcher.stop())
      watcher.replace([bench.watch(keys)])
      return watcher
    },
    names: (name) => {
      const path = join(folder, name)
      return existsSync(path)
        ? readdirSync(path, { withFileTypes: true })
            .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.'))
            .map((entry) => entry.name)
            .sort()
        : []
    },
    read: (path) => readFileSync(join(folder, path), 'utf8'),
    occurrences: occurrenceStore.all,
  }
  mkdirSync(bench.inbox)
  return bench
}

export function depsOf(
  bench: Watching,
): Pick<WatchDeps, 'occurrenceStore' | 'fire' | 'clock' | 'log' | 'checkFile' | 'whyFailed'> {
  const log = (facts: object, message: string) => void bench.logged.push({ ...facts, message })
  const error: ErrorReport = {
    ...{ code: 'job-failed', kind: 'failed', message: 'the service said no', hint: 'ask it why', step: 'upload' },
  }
  return {
    occurrenceStore: bench.occurrenceStore,
    fire: fakeFire(bench),
    clock: fastClock,
    log: { info: log, warn: log } as WatchDeps['log'],
    checkFile: () => undefined,
    whyFailed: async () => error,
  }
}

function fakeFire(bench: Watching): Fire {
  const { occurrenceStore, runs } = bench
  return async (firing) => {
    const ref = { pipeline: firing.pipeline.name, trigger: firing.trigger.id, key: firing.key }
    await null
    const { at, detail, open } = firing
    const runId = `run-${runs.length + 1}`
    if (occurrenceStore.take({ ...ref, at, ...(detail && { detail }), ...(open && { open }) }, runId)) {
      runs.push({ runId, firing, content: readFileSync(String(firing.values.file), 'utf8') })
      const status = bench.ending?.(firing)
      if (status) occurrenceStore.end(runId, status)
    }
    const occurrence = await occurrenceStore.find(ref)
    if (!occurrence) throw new Error('the occurrence store does not know what it was told')
    return occurrence
  }
}

function watchOf(folder: string, keys: string): Watch {
  const known = read.get(keys) ?? readWatch(keys)
  read.set(keys, known)
  const { pipeline, trigger } = known
  return { pipeline: { ...pipeline, file: join(folder, 'drops.yaml') }, trigger, folder }
}

/** Cached by their keys: most stories watch several times, and reading a document takes longer than the rest. */
const read = new Map<string, Pick<Watch, 'pipeline' | 'trigger'>>()

function readWatch(keys: string): Pick<Watch, 'pipeline' | 'trigger'> {
  const text = `version: 1
name: drops
inputs: { file: { type: file } }
triggers:
  - id: drop
    watch: { path: inbox, done: done, failed: failed, ${/pattern:/.test(keys) ? '' : 'pattern: "*.csv", '}${keys} }
    inputs: { file: "\${{ trigger.file }}" }
steps:
  - { id: groups, uses: groups.list }
`
  const { pipeline } = loadPipeline({ text, file: 'drops.yaml', stepTypes })
  const trigger = pipeline?.triggers[0]
  if (!pipeline || trigger?.kind !== 'watch') throw new Error(`the document is not valid: ${keys}`)
  return { pipeline, trigger }
}

/** Long enough for a busy machine, and less than the limit of a test, so that this error says what is missing. */
const MAX_WAIT_MS = 250_000

export async function until(holds: () => boolean, what = 'what is waited for', maxWaitMs = MAX_WAIT_MS): Promise<void> {
  const end = Date.now() + maxWaitMs
  while (!holds()) {
    if (Date.now() > end) throw new Error(`${what} does not come`)
    await systemClock.sleep(5)
  }
}
