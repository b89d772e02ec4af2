export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

const UNITS_MS = { ms: 1, s: 1000, m: 60_000, h: HOUR_MS, d: DAY_MS } as const
type Unit = keyof typeof UNITS_MS

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

/** A duration for people: `0.4 s`, `12.3 s`, `4 min 05 s`, `2 h 10 min`, `3 d 8 h`. */
export function formatDuration(ms: number): string {
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  const pad = (value: number) => String(value).padStart(2, '0')
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${pad(seconds % 60)} s`
  const hours = Math.floor(seconds / 3600)
  if (hours >= 24) return `${Math.floor(hours / 24)} d ${hours % 24} h`
  return `${hours} h ${pad(Math.floor((seconds % 3600) / 60))} min`
}
