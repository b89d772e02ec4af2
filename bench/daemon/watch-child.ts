import { watch as fsWatch } from 'node:fs'
import { readdir, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { watch as chokidar } from 'chokidar'
import type { Fire } from '../../src/core/fire.ts'
import type { Pipeline } from '../../src/core/pipeline.ts'
import { createSecrets } from '../../src/core/secrets.ts'
import type { WatchTrigger } from '../../src/core/trigger.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createLog } from '../../src/platform/logger.ts'
import { createAddAct } from '../../src/state/sql/audit.ts'
import { createOccurrenceStore } from '../../src/state/sql/occurrences.ts'
import { createCommitQueue } from '../../src/state/sqlite/commit-queue.ts'
import { sqliteOccurrenceDialect } from '../../src/state/sqlite/occurrence-dialect.ts'
import { openState } from '../../src/state/sqlite/open-state.ts'
import { createSqliteSql } from '../../src/state/sqlite/sqlite-sql.ts'
import { startWatcher, type Watcher } from '../../src/triggers/watch/start-watcher.ts'
import type { Watch } from '../../src/triggers/watch/watch.ts'
import { answerParent } from '../support/child.ts'

export type Way = 'nothing' | 'ours' | 'chokidar' | 'fs.watch' | 'readdir' | 'stat'

export interface AtRest {
  readonly startMs: number
  /** How much the resident memory has grown, including the memory that the start needed. */
  readonly grownMb: number
  readonly heapMb: number
  /** A share of one core, from 0 to 1. */
  readonly cpu: number
}

const SCAN_EVERY_MS = 5000
const fired = new Map<string, number>()
let watcher: Watcher | undefined

answerParent({ atRest, latency, flood }, () => watcher?.stop())

/** Watches folders in one way and does nothing else. */
async function atRest({ way, folders, ms }: { way: Way; folders: string[]; ms: number }): Promise<AtRest> {
  collect()
  const before = process.memoryUsage()
  const begin = performance.now()
  await WAYS[way](folders)
  const startMs = performance.now() - begin
  // Long enough for all folders to be added, one after the other, and checked twice.
  await sleep(14_000)
  collect()
  const cpuBefore = process.cpuUsage()
  const from = performance.now()
  await sleep(ms)
  const { user, system } = process.cpuUsage(cpuBefore)
  const cpu = (user + system) / 1000 / (performance.now() - from)
  collect()
  const { rss, heapUsed } = process.memoryUsage()
  return { startMs, grownMb: (rss - before.rss) / 1e6, heapMb: (heapUsed - before.heapUsed) / 1e6, cpu }
}

const WAYS: Record<Way, (folders: readonly string[]) => Promise<unknown>> = {
  nothing: async () => undefined,
  ours: async (folders) => watchOurs(folders, 2000),
  chokidar: (folders) =>
    new Promise<void>((resolve) => {
      chokidar([...folders], { depth: 0, followSymlinks: false, ignoreInitial: true }).on('ready', resolve)
    }),
  'fs.watch': async (folders) => folders.map((folder) => fsWatch(folder)),
  readdir: async (folders) => scan(folders, (folder) => readdir(folder, { withFileTypes: true })),
  stat: async (folders) => scan(folders, stat),
}

function scan(folders: readonly string[], look: (folder: string) => Promise<unknown>): void {
  const pass = async () => {
    for (const folder of folders) await look(folder)
    await sleep(SCAN_EVERY_MS)
    void pass()
  }
  void pass()
}

/** Drops complete files one after the other, by renaming; returns the milliseconds until the run of each. */
async function latency({ folders, settleMs, drops }: { folders: string[]; settleMs: number; drops: number }) {
  watchOurs(folders, settleMs)
  await sleep(6000)
  const took: number[] = []
  for (let number = 0; number < drops; number++) {
    const folder = folders[(number * 7) % folders.length] ?? ''
    const name = `drop-${number}.csv`
    await writeFile(join(folder, `.${name}`), `${number}@example.com\n`)
    const begin = performance.now()
    await rename(join(folder, `.${name}`), join(folder, name))
    while (!fired.has(name)) await sleep(1)
    took.push((fired.get(name) ?? 0) - begin)
  }
  return took
}

/**
 * Drops many files into one folder at the same time; returns the time until the last run, and until the last file is
 * moved.
 */
async function flood({ folder, files }: { folder: string; files: number }) {
  collect()
  const before = process.memoryUsage.rss()
  let peak = before
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 5)
  for (let number = 0; number < files; number++)
    await writeFile(join(folder, `${number}.csv`), `${number}@example.com\n`)
  const cpuBefore = process.cpuUsage()
  const begin = performance.now()
  watchOurs([folder], 0)
  while (fired.size < files) await sleep(5)
  const firedMs = performance.now() - begin
  while ((watcher?.status()[0]?.underWay ?? 0) > 0) await sleep(5)
  const filedMs = performance.now() - begin
  clearInterval(timer)
  const { user, system } = process.cpuUsage(cpuBefore)
  return { firedMs, filedMs, cpuMs: (user + system) / 1000, grownMb: (peak - before) / 1e6 }
}

/** The watcher on an occurrence store in SQLite, with an engine whose runs end immediately. */
function watchOurs(folders: readonly string[], settleMs: number): void {
  const db = openState(join(folders[0] ?? '', '..', 'state'))
  const queue = createCommitQueue(db)
  const redact = (text: string) => text
  const sql = createSqliteSql(db, queue)
  const words = sqliteOccurrenceDialect(redact)
  const addAct = createAddAct({ now: Date.now, redact })
  const occurrenceStore = createOccurrenceStore(sql, { addAct, ...words })
  const run = db.prepare(
    `INSERT INTO runs (run_id, pipeline, status, submitted_at, finished_at) VALUES (?, ?, 'succeeded', ?, ?)`,
  )
  let runs = 0
  const fire: Fire = async ({ pipeline, trigger, key, at, detail, open, values }) => {
    fired.set(String(values.name), performance.now())
    const ref = { pipeline: pipeline.name, trigger: trigger.id, key }
    await queue.commit(() => {
      const runId = `run-${++runs}`
      run.run(runId, pipeline.name, at, at)
      sql.now(words.put([{ ...ref, at, state: 'ran', runId, detail, open }]))
    })
    const occurrence = await occurrenceStore.find(ref)
    if (!occurrence) throw new Error(`no occurrence ${key}`)
    return occurrence
  }
  const log = createLog({ level: 'warn', destination: process.stderr, secrets: createSecrets(), clock: systemClock })
  watcher = startWatcher({
    occurrenceStore,
    fire,
    clock: systemClock,
    log,
    checkFile: () => undefined,
    whyFailed: async () => undefined,
  })
  watcher.replace(folders.map((folder, number) => watchOf(folder, number, settleMs)))
}

function watchOf(folder: string, number: number, settleMs: number): Watch {
  const trigger: WatchTrigger = {
    ...{
      id: 'drop',
      kind: 'watch',
      path: '.',
      pattern: '*.csv',
      settleMs,
      done: 'done',
      failed: 'failed',
      repeat: false,
    },
    precheck: { maxBytes: 157_286_400, signal: 'EMAIL', minimumShare: 0.9 },
    inputs: {},
    at: { file: 'watch.yaml', line: 1, column: 1 },
  }
  // The watcher uses only the name of the pipeline.
  return { pipeline: { name: `pipeline-${number}` } as Pipeline, trigger, folder }
}

function collect(): void {
  globalThis.gc?.()
}
