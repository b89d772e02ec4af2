import type { SteadyClock } from '../core/clock.ts'
import { pollDelay } from '../core/delays.ts'
import { isAbsent } from './made-other.ts'

/** How long, in milliseconds, the result of a job may answer 404 after the job's success (decision 141). */
export const VISIBLE_WITHIN_MS = 30_000

/** Reads what a job has just made. A 404, or a different resource, counts only if it persists (decision 141). */
export async function readAfterJob<T>(
  read: () => Promise<T>,
  { clock, signal }: { clock: SteadyClock; signal: AbortSignal },
): Promise<T> {
  const startedAt = clock.steady()
  for (;;) {
    try {
      return await read()
    } catch (error) {
      const waitedMs = clock.steady() - startedAt
      if (!isAbsent(error) || waitedMs >= VISIBLE_WITHIN_MS) throw error
      const longestMs = VISIBLE_WITHIN_MS - waitedMs
      await clock.sleep(pollDelay(waitedMs, { shortestMs: 500, longestMs, share: 0.2 }), signal)
    }
  }
}
