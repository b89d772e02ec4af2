import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Clock } from '../core/clock.ts'
import { HOUR_MS } from '../core/duration.ts'
import { UNFINISHED_STATUSES } from '../core/format/statuses.ts'
import type { Retention } from '../core/retention.ts'
import { packRuns, pruneRuns } from '../engine/prune-runs.ts'
import { namesIn } from '../platform/names-in.ts'
import type { RunHistory } from '../state/run-history.ts'
import type { State } from '../state/state.ts'

/** The first removal waits this long, because other work is more urgent at the start. */
const FIRST_AFTER_MS = 60_000
const EVERY_MS = HOUR_MS
const AT_A_TIME = 500
const REST_MS = 100

/**
 * Removes what is older than the retention allows, and packs the runs that ended, in small pieces, until `signal`
 * aborts. Resolves when the work has stopped.
 */
export async function keepRetention(
  { runsMs, keep, occurrencesMs, auditMs }: Retention,
  deps: {
    state: Pick<State, 'runs' | 'occurrences' | 'audit'>
    /**
     * Removes the fingerprints of lists that are too old, or whose runs were removed, and returns the number of those
     * lists.
     */
    removeExpiredFingerprints: (now: number) => Promise<number>
    /** Removes the files older than `before` that people uploaded for inputs of runs, and returns how many. */
    removeUploads: (before: number) => Promise<number>
    clock: Clock
    steadyMs: () => number
    log: Pick<Logger, 'info' | 'warn'>
    signal: AbortSignal
  },
): Promise<void> {
  const { state, clock, log, signal } = deps
  const rest = (ms: number) => clock.sleep(ms, signal).catch(() => undefined)

  async function forget(part: Pick<State['audit'], 'forget'>, ageMs: number): Promise<number> {
    let forgotten = 0
    while (!signal.aborted) {
      const count = await part.forget({ before: clock.now() - ageMs, limit: AT_A_TIME })
      forgotten += count
      if (count < AT_A_TIME) break
      await rest(REST_MS)
    }
    return forgotten
  }

  await rest(FIRST_AFTER_MS)
  while (!signal.aborted) {
    try {
      const runs = await pruneRuns({ before: clock.now() - runsMs, keep }, { ...deps, runs: state.runs })
      const occurrences = await forget(state.occurrences, occurrencesMs)
      const acts = await forget(state.audit, auditMs)
      const lists = await deps.removeExpiredFingerprints(clock.now())
      const uploads = await deps.removeUploads(clock.now() - runsMs)
      if (runs + occurrences + acts + lists + uploads > 0)
        log.info({ runs, occurrences, acts, lists, uploads }, 'data older than the retention allows was removed')
      await packRuns({ ...deps, runs: state.runs })
    } catch (error) {
      log.warn({ err: error }, 'old runs could not be removed or packed; this will be retried')
    }
    await rest(EVERY_MS)
  }
}

/**
 * Removes the uploads that are older than `before` (milliseconds since 1970) and returns how many. It removes none
 * while a run from before that time has not ended, because its inputs may name one.
 */
export async function removeUploads(
  folder: string,
  { before, runs }: { before: number; runs: Pick<RunHistory, 'page'> },
): Promise<number> {
  const names = namesIn(folder)
  if (names.length === 0) return 0
  const old = await runs.page({ status: UNFINISHED_STATUSES, to: before, limit: 1 })
  if (old.rows.length > 0) return 0
  let removed = 0
  for (const name of names) {
    const path = join(folder, name)
    if ((await stat(path)).mtimeMs >= before) continue
    await rm(path, { recursive: true, force: true })
    removed += 1
  }
  return removed
}
