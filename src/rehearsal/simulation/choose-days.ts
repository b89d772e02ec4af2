import { dateAfter } from '../../core/date.ts'
import type { TriggerRef } from '../../core/occurrence.ts'
import type { ClockChange, Dates, PlannedSchedule } from './plan-slots.ts'

/** Why the slots of a day are run in full, not only planned. */
export const LIVED_BECAUSE = ['first', 'clockChange', 'fullest', 'all'] as const

export interface LivedDay {
  readonly date: string
  readonly why: (typeof LIVED_BECAUSE)[number]
}

/** A stretch of days that are run in full, in milliseconds since 1970; `to` is not included. */
export interface DaySpan {
  readonly from: number
  readonly to: number
}

/**
 * The part of a day in which a schedule is not run, because it has more slots on that day than its share. In
 * milliseconds since 1970.
 */
export interface Rest extends TriggerRef, DaySpan {}

/** How many days at the beginning are always run in full. */
const FIRST_DAYS = 2
/** The maximum number of slots of a day that are run. Each run takes about a twentieth of a second. */
const MOST_LIVED = 300

/**
 * The days to run in full: the first two, each day on which clocks change, and the day with the most slots; all days,
 * if the simulation is to be exact. Leaves out days without slots.
 */
export function chooseDays(
  schedules: readonly PlannedSchedule[],
  { dates, changes, isExact }: { dates: Dates; changes: readonly ClockChange[]; isExact: boolean },
): readonly LivedDay[] {
  const counts = slotsByDate(schedules)
  const most = Math.max(0, ...counts.values())
  const why = new Map<string, LivedDay['why']>()
  if (isExact) for (const date of dates) why.set(date, 'all')
  else {
    for (const date of dates.slice(0, FIRST_DAYS)) why.set(date, 'first')
    for (const { date, timezone } of changes)
      if (!why.has(date) && schedules.some((one) => one.trigger.timezone === timezone && hasSlotOn(one, date)))
        why.set(date, 'clockChange')
    const isFullest = (date: string) => counts.get(date) === most
    if (!dates.some((date) => why.has(date) && isFullest(date))) {
      const fullest = dates.find(isFullest)
      if (fullest !== undefined) why.set(fullest, 'fullest')
    }
  }
  return dates.flatMap((date) => {
    const because = why.get(date)
    return because !== undefined && (counts.get(date) ?? 0) > 0 ? [{ date, why: because }] : []
  })
}

/**
 * How many slots of each schedule are run on a day. Together they are at most `MOST_LIVED`; the busiest schedules give
 * way to the others.
 */
export function sharesOf(
  days: readonly LivedDay[],
  schedules: readonly PlannedSchedule[],
): ReadonlyMap<string, number> {
  return new Map(
    days.map(({ date }) => {
      const counts = schedules.map((one) => startsOn(one, date).length).toSorted((a, b) => a - b)
      let left = MOST_LIVED
      for (const [at, count] of counts.entries()) {
        const share = Math.max(1, Math.floor(left / (counts.length - at)))
        if (count > share) return [date, share] as const
        left -= count
      }
      return [date, Number.POSITIVE_INFINITY] as const
    }),
  )
}

/** The times at which schedules are not run: the rest of each day on which they have more slots than their share. */
export function restsOf(shares: ReadonlyMap<string, number>, schedules: readonly PlannedSchedule[]): readonly Rest[] {
  return schedules.flatMap((one) =>
    [...shares].flatMap(([date, share]) => {
      const from = startsOn(one, date)[share]
      return from === undefined ? [] : [{ ...one.schedule.ref, from, to: one.schedule.startOfDay(dateAfter(date)) }]
    }),
  )
}

/** Whether a slot falls at a time at which its schedule is not run. */
export function fallsInRest(rests: readonly DaySpan[], { at, startsAt }: { at: number; startsAt: number }) {
  return rests.some(({ from, to }) => startsAt >= from && at < to)
}

/** When the runs of the slots of a day start, in order. */
function startsOn({ schedule, slots }: PlannedSchedule, on: string): readonly number[] {
  return slots
    .flatMap(({ at, date, isOff }) => (date === on && !isOff ? [schedule.startOf(at)] : []))
    .toSorted((a, b) => a - b)
}

/** How many slots there are on each day, except on days off. */
export function slotsByDate(schedules: readonly PlannedSchedule[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { slots } of schedules)
    for (const { date, isOff } of slots) if (!isOff) counts.set(date, (counts.get(date) ?? 0) + 1)
  return counts
}

/** The stretches of time that contain these days on the clocks of all schedules. Adjacent days are one stretch. */
export function spansOf(
  days: readonly LivedDay[],
  schedules: readonly Pick<PlannedSchedule, 'schedule'>[],
): readonly DaySpan[] {
  const spans: DaySpan[] = []
  for (const { date } of days) {
    const from = Math.min(...schedules.map(({ schedule }) => schedule.startOfDay(date)))
    const to = Math.max(...schedules.map(({ schedule }) => schedule.startOfDay(dateAfter(date))))
    const before = spans.at(-1)
    if (before && before.to >= from) spans.splice(-1, 1, { from: before.from, to: Math.max(before.to, to) })
    else spans.push({ from, to })
  }
  return spans
}

function hasSlotOn({ slots }: PlannedSchedule, on: string): boolean {
  return slots.some(({ date, isOff }) => date === on && !isOff)
}
