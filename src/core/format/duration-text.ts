import { count } from './figures.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

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

/** A duration that may be far below a second: `0.4 ms`, `812 ms`, `1.3 s`. */
export function formatShortDuration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms * 10) / 10} ms` : formatDuration(ms)
}

/** A duration that is still growing, without digits that would flicker: `12 s`, `3 min`, `2 h 10 min`. */
export function formatRoughDuration(ms: number): string {
  if (ms < 60_000) return `${Math.max(0, Math.floor(ms / 1000))} s`
  return ms < 3_600_000 ? `${Math.floor(ms / 60_000)} min` : formatDuration(ms)
}

const UNITS = [
  ['h', HOUR_MS],
  ['min', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const

/** The unit of an axis for durations up to `longestMs`: the largest one that fits into it twice. */
export function axisUnit(longestMs: number): { readonly unit: string; readonly unitMs: number } {
  const [unit, unitMs] = UNITS.find(([, ms]) => longestMs >= 2 * ms) ?? ['ms', 1]
  return { unit, unitMs }
}

/** A duration that a message names as a limit or a period, exact and in words: `10 seconds`, `36 hours`, `31 days`. */
export function formatTimeLimit(ms: number): string {
  if (ms >= DAY_MS && ms % DAY_MS === 0) return count(ms / DAY_MS, 'day')
  if (ms >= HOUR_MS && ms % HOUR_MS === 0) return count(ms / HOUR_MS, 'hour')
  if (ms >= 60_000 && ms % 60_000 === 0) return count(ms / 60_000, 'minute')
  return ms >= 1000 && ms % 1000 === 0 ? count(ms / 1000, 'second') : count(ms, 'millisecond')
}
