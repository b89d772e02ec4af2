import { offsetText } from '../../core/format/time-text.ts'

/** A time for people, on the clock of this machine: `2026-11-22 07:00:04 UTC`, `2026-11-22 08:00:04 +01:00`. */
export function writeTime(ms: number): string {
  return `${writeLocalTime(ms)} ${zoneHere(ms)}`
}

/** A time like `writeTime`, for a slot, which has no seconds: `2026-11-22 07:00 UTC`. */
export function writeMinute(ms: number): string {
  return `${writeLocalTime(ms).slice(0, 16)} ${zoneHere(ms)}`
}

/** A time on the clock of this machine, without the zone: `2026-11-22 08:00:04`. */
export function writeLocalTime(ms: number): string {
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 19).replace('T', ' ')
}

/** The offset of this machine's clock at a time: `+01:00`, or `UTC`. */
export function zoneHere(ms: number): string {
  const minutes = -new Date(ms).getTimezoneOffset()
  return minutes === 0 ? 'UTC' : offsetText(minutes * 60_000)
}
