const FIRST_MS = 5_000
const LONGEST_MS = 15 * 60_000
/** A receiver that asks for more is asked again all the same. */
const LONGEST_ASKED_MS = 86_400_000

/** About a day of tries at the longest delay. */
export const MAX_ATTEMPTS = 100

/** How long to wait after so many failed attempts, in milliseconds: twice as long each time, spread by a quarter, and no less than asked. */
export function retryDelayMs(attempts: number, random: () => number, askedMs = 0): number {
  const doubled = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(20, attempts - 1))
  return Math.max(doubled * (0.75 + random() / 2), Math.min(askedMs, LONGEST_ASKED_MS))
}
