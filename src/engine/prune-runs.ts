import type { Clock } from '../core/clock.ts'
import type { RunExpiry, RunHistory } from '../state/run-history.ts'

/** No other process can write during a batch, so batches are short and small. */
const BATCH_MS = 20
const MAX_BATCH = 500
/** The shortest pause. Other processes try to lock the state only every tenth of a second or so. */
const LEAST_REST_MS = 20

interface Pace {
  readonly clock: Clock
  /** A clock in milliseconds that never goes back. */
  readonly steadyMs: () => number
  readonly signal: AbortSignal
}

/**
 * Removes the runs that need not be kept, in small transactions. Pauses after each one, so that this process and others
 * can work. Calls `onRemoved` for each batch, and returns how many runs were removed.
 */
export async function pruneRuns(
  policy: Pick<RunExpiry, 'before' | 'keep'>,
  deps: Pace & {
    runs: Pick<RunHistory, 'pipelines' | 'expired' | 'remove'>
    onRemoved?: (removed: number) => void
  },
): Promise<number> {
  const { runs, steadyMs, signal, onRemoved } = deps
  let removed = 0
  for (const pipeline of await runs.pipelines()) {
    while (!signal.aborted) {
      const started = steadyMs()
      const expired = await runs.expired({ ...policy, pipeline, limit: MAX_BATCH })
      if (expired.length === 0) break
      removed += await runs.remove(expired, BATCH_MS)
      onRemoved?.(removed)
      await pauseAfter(started, deps)
    }
  }
  return removed
}

/** Packs ended runs into less space, in small transactions with pauses. */
export async function packRuns(deps: Pace & { runs: Pick<RunHistory, 'pack'> }): Promise<void> {
  const { runs, steadyMs, signal } = deps
  while (!signal.aborted) {
    const started = steadyMs()
    if (!(await runs.pack(BATCH_MS))) return
    await pauseAfter(started, deps)
  }
}

/** Pauses for as long as the batch took. */
function pauseAfter(started: number, { clock, steadyMs, signal }: Pace): Promise<void> {
  return clock.sleep(Math.max(steadyMs() - started, LEAST_REST_MS), signal).catch(() => undefined)
}
