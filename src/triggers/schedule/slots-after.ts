import { DAY_MS, MINUTE_MS } from '../../core/duration.ts'
import type { Cron } from './read-cron.ts'
import type { Stretch, TimeZone } from './time-zone.ts'

/** What determines the times of a schedule. */
export interface SlotRule {
  readonly cron: Cron
  readonly zone: TimeZone
  /** The default is `twice` for an interval and `once` for fixed times. */
  readonly repeatedHour?: 'once' | 'twice' | undefined
}

/** The end of the year 9999. */
export const END_OF_TIME = 253_402_300_799_999

/**
 * The slots of a schedule after an instant, in milliseconds since 1970, in order and without duplicates. When clocks
 * change, fixed times run once: the skipped times have one slot, at the first instant after the gap, and a time that
 * occurs twice has one slot, at its first occurrence. An interval follows the clock: the skipped times have no slot,
 * and a time that occurs twice has two.
 */
export function* slotsAfter(rule: SlotRule, afterMs: number): Generator<number, void, undefined> {
  let at = afterMs + 1
  while (at <= END_OF_TIME) {
    const stretch = rule.zone.stretchAt(at)
    yield* slotsWithin(rule, stretch, at)
    at = stretch.to
  }
}

function* slotsWithin({ cron, repeatedHour }: SlotRule, stretch: Stretch, from: number): Generator<number> {
  const { offsetMs, offsetBeforeMs } = stretch
  let at = from
  if (!cron.isInterval && at === stretch.from && offsetMs > offsetBeforeMs) {
    if (nextLocalTime(cron, at + offsetBeforeMs) <= at + offsetMs) {
      yield at
      at++
    }
  }
  if ((repeatedHour ?? (cron.isInterval ? 'twice' : 'once')) === 'once') at = Math.max(at, stretch.repeatsUntil)
  for (;;) {
    const slot = nextLocalTime(cron, at + offsetMs) - offsetMs
    if (slot >= stretch.to) return
    yield slot
    at = slot + 1
  }
}

/**
 * The times on the clock that a slot stands for, one for each day, as local milliseconds. If the slot stands for times
 * in a gap, there may be more than one day, or a day other than the slot's own.
 */
export function timesOfSlot({ cron, zone }: SlotRule, slotMs: number): readonly [number, ...number[]] {
  const { from, offsetMs, offsetBeforeMs } = zone.stretchAt(slotMs)
  const shown = slotMs + offsetMs
  if (cron.isInterval || slotMs !== from) return [shown]
  const times: number[] = []
  let at = nextLocalTime(cron, slotMs + offsetBeforeMs)
  while (at <= shown) {
    times.push(at)
    at = nextLocalTime(cron, (Math.floor(at / DAY_MS) + 1) * DAY_MS)
  }
  const [first = shown, ...more] = times
  return [first, ...more]
}

/**
 * The first time at or after `fromMs` that matches a cron line, on a clock that never changes. Local times are
 * milliseconds since 1970, as if they were in UTC.
 */
function nextLocalTime(cron: Cron, fromMs: number): number {
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
  for (const hour of hours) {
    if (hour * 60 + 59 < from) continue
    const minute = minutes.find((candidate) => hour * 60 + candidate >= from)
    if (minute !== undefined) return hour * 60 + minute
  }
  return undefined
}
