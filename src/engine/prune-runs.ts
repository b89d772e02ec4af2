import type { Clock } from '../core/clock.ts'
import type { Journal, RunExpiry } from '../state/journal.ts'

/**
 * No other process can write while a batch is removed, so each batch is kept this short and this small; the sync to
 * disk takes extra time.
 */
const BATCH_MS = 20
const MAX_BATCH = 500
const FIRST_BATCH = 50
/** Others wait for the state in steps of up to a tenth of a second. */
const LEAST_REST_MS = 20

/**
 * Removes the runs that need not be kept, in small transactions. It pauses after each one, so that this process and
 * others can work. Returns the number removed; `onRemoved` is called for each batch.
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

/** The number that would have taken `BATCH_MS`, and at most twice the previous number. */
export function nextBatchSize(size: number, tookMs: number): number {
  const fitting = Math.floor((size * BATCH_MS) / Math.max(tookMs, 1))
  return Math.max(1, Math.min(fitting, size * 2, MAX_BATCH))
}
