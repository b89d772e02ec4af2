export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
/**
 * Anything due counts as on time if it is at most this late. This covers a restarted daemon and a busy machine. No cron
 * line is finer than a minute.
 */
export const ON_TIME_MS = 1 * MINUTE_MS

const UNITS_MS = { ms: 1, s: 1000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS } as const
type Unit = keyof typeof UNITS_MS

/**
 * The clocks of two machines differ by less than this. A slot counts as missed only after twice this time. So if the
 * clock goes back by less than that, every slot that counts as missed is still in the past.
 */
const AHEAD_MS = ON_TIME_MS / 2

/** Whether a recorded time lies so far in the future that the clock must have been ahead when it was recorded. */
export function isAhead(recorded: number, now: number): boolean {
  return recorded - now > AHEAD_MS
}

/** What a duration looks like: `500ms`, `30s`, `15m`, `2h`, `7d`. */
export const DURATION_PATTERN = '^[0-9]+(ms|s|m|h|d)$'

/** Milliseconds of `500ms`, `30s`, `15m`, `2h` or `7d`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+)(ms|s|m|h|d)$/.exec(text)
  if (!match) return undefined
  const ms = Number(match[1]) * UNITS_MS[match[2] as Unit]
  return Number.isSafeInteger(ms) ? ms : undefined
}

/** The time from one moment to another; 0 if a clock was set back in between. */
export function elapsedMs(from: number, to: number): number {
  return Math.max(0, to - from)
}
