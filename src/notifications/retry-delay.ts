import { backoffDelay } from '../core/delays.ts'
import { DAY_MS } from '../core/duration.ts'

const DELAYS = { firstMs: 5_000, longestMs: 15 * 60_000 } as const
/** If a receiver asks for a longer delay, it is tried again after this time anyway. */
const LONGEST_ASKED_MS = DAY_MS

/** About a day of tries at the longest delay. */
export const MAX_ATTEMPTS = 100

/**
 * How long to wait after `attempts` failed attempts, in milliseconds: it doubles each time, varies by a quarter, and is
 * at least what the receiver asked for.
 */
export function retryDelayMs(attempts: number, random: () => number, askedMs = 0): number {
  return Math.max(backoffDelay(DELAYS, attempts) * (0.75 + random() / 2), Math.min(askedMs, LONGEST_ASKED_MS))
}
