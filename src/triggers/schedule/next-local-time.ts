import { DAY_MS } from '../../core/duration.ts'
import type { Cron } from './read-cron.ts'

const MINUTE_MS = 60_000

/**
 * The first time at or after `fromMs` that matches a cron line, on a clock that never changes. A local time is written
 * as the milliseconds since 1970 that it would be in UTC.
 */
export function nextLocalTime(cron: Cron, fromMs: number): number {
  let day = Math.floor(fromMs / DAY_MS)
  const minute = Math.ceil((fromMs - day * DAY_MS) / MINUTE_MS)
  if (isDayOf(cron, day)) {
    const later = timeOfDay(cron, minute)
    if (later !== undefined) return day * DAY_MS + later * MINUTE_MS
  }
  day = nextDay(cron, day + 1)
  return day * DAY_MS + (timeOfDay(cron, 0) ?? 0) * MINUTE_MS
}

/** Always ends, because a cron line that matches no existing day was refused. */
function nextDay(cron: Cron, from: number): number {
  let day = from
  while (!isDayOf(cron, day)) {
    const date = new Date(day * DAY_MS)
    const isMonth = cron.months.has(date.getUTCMonth() + 1)
    day = isMonth ? day + 1 : Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / DAY_MS
  }
  return day
}

function isDayOf({ months, daysOfMonth, daysOfWeek }: Cron, day: number): boolean {
  const date = new Date(day * DAY_MS)
  if (!months.has(date.getUTCMonth() + 1)) return false
  if (!daysOfMonth && !daysOfWeek) return true
  return (daysOfMonth?.has(date.getUTCDate()) ?? false) || (daysOfWeek?.has(date.getUTCDay()) ?? false)
}

/** The first matching minute of the day at or after `from`. */
function timeOfDay({ hours, minutes }: Cron, from: number): number | undefined {
  const [firstMinute = 0] = minutes
  for (const hour of hours) {
    if (hour * 60 + 59 < from) continue
    if (hour * 60 >= from) return hour * 60 + firstMinute
    const minute = minutes.find((candidate) => hour * 60 + candidate >= from)
    if (minute !== undefined) return hour * 60 + minute
  }
  return undefined
}
