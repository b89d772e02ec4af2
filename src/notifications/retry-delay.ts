const FIRST_MS = 5_000
const LONGEST_MS = 15 * 60_000
/** If a receiver asks for a longer delay, it is tried again after this time anyway. */
const LONGEST_ASKED_MS = 86_400_000

/** About a day of tries at the longest delay. */
export const MAX_ATTEMPTS = 100

/**
 * How long to wait after `attempts` failed attempts, in milliseconds: it doubles each time, varies by a quarter, and is
 * at least what the receiver asked for.
 */
export function retryDelayMs(attempts: number, random: () => number, askedMs = 0): number {
  const doubled = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(20, attempts - 1))
  return Math.max(doubled * (0.75 + random() / 2), Math.min(askedMs, LONGEST_ASKED_MS))
}
