import type { Clock } from '../core/clock.ts'
import type { Journal, RunExpiry } from '../core/journal.ts'

/** Nobody else can write while a batch is removed: it is kept this short, and this small; the sync to disk comes on top. */
const BATCH_MS = 20
const MAX_BATCH = 500
const FIRST_BATCH = 50
/** Others wait for the state in steps of up to a tenth of a second. */
const LEAST_REST_MS = 20

/**
 * Removes the runs that are not to be kept, in small transactions with a rest after each in which this process and others
 * do their work. Tells how many; `onRemoved` hears of each batch.
 */
export async function pruneRuns(
  policy: Pick<RunExpiry, 'before' | 'keep'>,
  deps: {
    readonly journal: Pick<Journal, 'pipelines' | 'expired' | 'remove'>
    readonly clock: Clock
    /** Milliseconds that never go back. */
    readonly steadyMs: () => number
    readonly signal: AbortSignal
    readonly onRemoved?: (removed: number) => void
  },
): Promise<number> {
  const { journal, clock, steadyMs, signal, onRemoved } = deps
  let size = FIRST_BATCH
  let removed = 0
  for (const pipeline of journal.pipelines()) {
    while (!signal.aborted) {
      const started = steadyMs()
      const batch = journal.expired({ ...policy, pipeline, limit: size })
      if (batch.length === 0) break
      await journal.remove(batch)
      const tookMs = steadyMs() - started
      removed += batch.length
      onRemoved?.(removed)
      size = nextBatchSize(batch.length, tookMs)
      await clock.sleep(Math.max(tookMs, LEAST_REST_MS), signal).catch(() => undefined)
    }
  }
  return removed
}

/** As many as would have taken `BATCH_MS`, and at most twice as many as before. */
export function nextBatchSize(size: number, tookMs: number): number {
  const fitting = Math.floor((size * BATCH_MS) / Math.max(tookMs, 1))
  return Math.max(1, Math.min(fitting, size * 2, MAX_BATCH))
}
