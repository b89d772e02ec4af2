import type { Clock } from '../core/clock.ts'
import type { RunExpiry, RunHistory } from '../state/run-history.ts'

/** No other process can write during a batch, so it is kept this short and this small. */
const BATCH_MS = 20
const MAX_BATCH = 500
/** Others wait for the state in steps of up to a tenth of a second. */
const LEAST_REST_MS = 20

interface Pace {
  readonly clock: Clock
  /** Milliseconds that never go back. */
  readonly steadyMs: () => number
  readonly signal: AbortSignal
}

/**
 * Removes the runs that need not be kept, in small transactions. It pauses after each one, so that this process and
 * others can work. Returns the number removed; `onRemoved` is called for each batch.
 */
export async function pruneRuns(
  policy: Pick<RunExpiry, 'before' | 'keep'>,
  deps: Pace & {
    readonly runs: Pick<RunHistory, 'pipelines' | 'expired' | 'remove'>
    readonly onRemoved?: (removed: number) => void
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

/** Stores the ended runs in less space, in small transactions with pauses. */
export async function packRuns(deps: Pace & { readonly runs: Pick<RunHistory, 'pack'> }): Promise<void> {
  const { runs, steadyMs, signal } = deps
  while (!signal.aborted) {
    const started = steadyMs()
    if (!(await runs.pack(BATCH_MS))) return
    await pauseAfter(started, deps)
  }
}

/** As long as the batch took. */
function pauseAfter(started: number, { clock, steadyMs, signal }: Pace): Promise<void> {
  return clock.sleep(Math.max(steadyMs() - started, LEAST_REST_MS), signal).catch(() => undefined)
}
