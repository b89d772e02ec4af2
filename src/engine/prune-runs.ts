import type { Clock } from '../core/clock.ts'
import type { RunExpiry, RunHistory } from '../state/run-history.ts'

/** No other process can write while a batch is removed, so it is kept this short and this small. */
const BATCH_MS = 20
const MAX_BATCH = 500
/** Others wait for the state in steps of up to a tenth of a second. */
const LEAST_REST_MS = 20

/**
 * Removes the runs that need not be kept, in small transactions. It pauses after each one, so that this process and
 * others can work. Returns the number removed; `onRemoved` is called for each batch.
 */
export async function pruneRuns(
  policy: Pick<RunExpiry, 'before' | 'keep'>,
  deps: {
    readonly runs: Pick<RunHistory, 'pipelines' | 'expired' | 'remove'>
    readonly clock: Clock
    /** Milliseconds that never go back. */
    readonly steadyMs: () => number
    readonly signal: AbortSignal
    readonly onRemoved?: (removed: number) => void
  },
): Promise<number> {
  const { runs, clock, steadyMs, signal, onRemoved } = deps
  let removed = 0
  for (const pipeline of await runs.pipelines()) {
    while (!signal.aborted) {
      const started = steadyMs()
      const expired = await runs.expired({ ...policy, pipeline, limit: MAX_BATCH })
      if (expired.length === 0) break
      removed += await runs.remove(expired, BATCH_MS)
      onRemoved?.(removed)
      await clock.sleep(Math.max(steadyMs() - started, LEAST_REST_MS), signal).catch(() => undefined)
    }
  }
  return removed
}
