import { statfs } from 'node:fs/promises'
import type { NotReady } from '../health/readiness.ts'
import { METRICS } from './definitions.ts'
import type { Families } from './families.ts'

/** The facts about a process at a scrape. */
export interface ProcessView {
  /** What this process is working on: runs, and its waits for jobs and similar things (`Engine.load`). */
  readonly load: () => { readonly runs: number; readonly waits: number }
  /** The number of runs that no process is working on. */
  readonly unattended: () => number
  /** The documents of the pipelines folder: how many are in use, and how many have problems. */
  readonly documents: () => { readonly live: number; readonly problems: number }
  /** The checks of `/readyz` that do not pass. */
  readonly notReady: () => Promise<readonly NotReady[]>
  readonly isKeeper: () => boolean
  /** A folder on the disk of the state. */
  readonly stateFolder: string
}

/**
 * Metrics of the process itself. prom-client's own set is not used, because it checks the event loop a hundred times a
 * second, which would be most of the work of an idle daemon.
 */
export function processMetrics({ gauge, counter }: Families, version: string): (view: ProcessView) => Promise<void> {
  gauge('audience_build_info').set({ version, node: process.versions.node }, 1)
  gauge('process_start_time_seconds').set(Math.round(performance.timeOrigin) / 1000)
  const memory = gauge('process_resident_memory_bytes')
  const cpu = counter('process_cpu_seconds_total')
  const runs = gauge('audience_runs_worked_on')
  const unattended = gauge('audience_runs_unattended')
  const waits = gauge('audience_waits')
  const pipelines = gauge('audience_pipelines')
  const problems = gauge('audience_pipeline_problems')
  const keeper = gauge('audience_keeper')
  const ready = gauge('audience_ready')
  const free = gauge('audience_state_disk_free_bytes')
  const size = gauge('audience_state_disk_size_bytes')
  return async (view) => {
    const now = view.load()
    const read = view.documents()
    pipelines.set(read.live)
    problems.set(read.problems)
    runs.set(now.runs)
    waits.set(now.waits)
    unattended.set(view.unattended())
    keeper.set(view.isKeeper() ? 1 : 0)
    memory.set(process.memoryUsage.rss())
    const { user, system } = process.cpuUsage()
    cpu.reset()
    cpu.inc((user + system) / 1e6)
    const missing = new Set((await view.notReady()).map(({ check }) => check))
    for (const check of METRICS.audience_ready.labels.check) ready.set({ check }, missing.has(check) ? 0 : 1)
    // A missing folder has no disk figures; `audience_ready` reports it.
    const disk = await statfs(view.stateFolder).catch(() => undefined)
    free.set(disk ? disk.bavail * disk.bsize : Number.NaN)
    size.set(disk ? disk.blocks * disk.bsize : Number.NaN)
  }
}
