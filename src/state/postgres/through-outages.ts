import type { Clock } from '../../core/clock.ts'
import { backoffDelay } from '../../core/delays.ts'
import { AudienceError } from '../../core/errors.ts'
import { isStateAway } from '../../core/is-state-away.ts'

const DELAYS = { firstMs: 50, longestMs: 2000 } as const

/**
 * Repeats work while the database cannot be reached, until it can be reached again or the signal aborts. The work must
 * be repeatable, because an earlier attempt may have taken effect; in that case, `isRepeated` is true. Throws all other
 * errors.
 */
export async function throughOutages<T>(
  work: (isRepeated: boolean) => Promise<T>,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<T> {
  for (let count = 1; ; count += 1) {
    try {
      return await work(count > 1)
    } catch (error) {
      if (!isPassing(error)) throw error
      signal.throwIfAborted()
      await clock.sleep(backoffDelay(DELAYS, count), signal)
    }
  }
}

function isPassing(error: unknown): boolean {
  if (isStateAway(error)) return true
  if (!(error instanceof AudienceError)) return false
  const { cause } = error
  // A deadlock, or a serialization failure.
  return cause instanceof Error && 'code' in cause && String(cause.code).startsWith('40')
}
