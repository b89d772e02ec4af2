import { isNotFound } from '../adapter/api-error.ts'
import type { SteadyClock } from '../core/clock.ts'

/** How long, in milliseconds, what a job made may answer 404 after the job's success (decision 141). */
export const VISIBLE_WITHIN_MS = 30_000
const SHORTEST_DELAY_MS = 500

/** Reads something that a job has just made. A 404 counts only if it persists (decision 141). */
export async function readAfterJob<T>(
  read: () => Promise<T>,
  { clock, signal }: { readonly clock: SteadyClock; readonly signal: AbortSignal },
): Promise<T> {
  const startedAt = clock.steady()
  for (;;) {
    try {
      return await read()
    } catch (error) {
      const waitedMs = clock.steady() - startedAt
      if (!isNotFound(error) || waitedMs >= VISIBLE_WITHIN_MS) throw error
      await clock.sleep(Math.min(VISIBLE_WITHIN_MS - waitedMs, Math.max(SHORTEST_DELAY_MS, waitedMs / 5)), signal)
    }
  }
}
