import { dateAfter } from '../../core/date.ts'
import { type AudienceError, usageError } from '../../core/errors.ts'
import { count } from '../../core/format/figures.ts'
import type { Pipeline } from '../../core/pipeline.ts'
import type { ScheduleTrigger } from '../../core/trigger.ts'
import { openSchedule } from '../../triggers/schedule/live-schedule.ts'
import { clockTime, firstInstantOf, localTime } from '../../triggers/schedule/local-time.ts'
import type { Schedule } from '../../triggers/schedule/schedule.ts'
import { timeZone } from '../../triggers/schedule/time-zone.ts'

/** The days of a simulation, such as `2026-10-20`, in order. */
export type Dates = readonly string[]

export interface PlannedSlot {
  /** In milliseconds since 1970. */
  readonly at: number
  /** The day that it is for, on the clock of its schedule. */
  readonly date: string
  /** The day is excluded: no run begins. */
  readonly isOff: boolean
}

/** A schedule of a document, with its slots in the days of a simulation. */
export interface PlannedSchedule {
  readonly pipeline: Pipeline
  readonly trigger: ScheduleTrigger
  readonly schedule: Schedule
  readonly slots: readonly PlannedSlot[]
}

/** A day on which the clocks of a zone change. */
export interface ClockChange {
  readonly date: string
  readonly timezone: string
  /** In milliseconds since 1970. */
  readonly at: number
}

/** Nobody would read more slots than this, and more would take up memory. */
const MOST_SLOTS = 200_000

/** `days` days, beginning with the first one. */
export function datesFrom(first: string, days: number): Dates {
  return Array.from({ length: days }, (_, day) => dateAfter(first, day))
}

/**
 * The slots of all schedules of documents in these days, on the clock of each schedule. Runs nothing. Throws an
 * AudienceError if there are too many, or if days off cannot be read.
 */
export function planSlots(
  pipelines: readonly Pipeline[],
  dates: Dates,
  checkFile: (path: string) => void,
): readonly PlannedSchedule[] {
  const [first = '', last = first] = [dates[0], dates.at(-1)]
  let found = 0
  return pipelines.flatMap((pipeline) =>
    pipeline.triggers.flatMap((trigger) => {
      if (trigger.kind !== 'schedule') return []
      const schedule = openSchedule({ pipeline, trigger }, { checkFile })
      const end = schedule.startOfDay(dateAfter(last))
      const slots: PlannedSlot[] = []
      for (const at of schedule.slotsAfter(schedule.startOfDay(first) - 1)) {
        if (at >= end) break
        if (++found > MOST_SLOTS) throw tooMany(dates)
        slots.push({ at, date: schedule.dayOf(at).date, isOff: schedule.isExcluded(at) })
      }
      return [{ pipeline, trigger, schedule, slots }]
    }),
  )
}

/** When, on these days, clocks change in the time zones of the schedules. */
export function clockChanges(schedules: readonly PlannedSchedule[], dates: Dates): readonly ClockChange[] {
  const zones = [...new Set(schedules.map(({ trigger }) => trigger.timezone))].sort()
  return zones
    .flatMap((timezone) => {
      const zone = timeZone(timezone)
      return dates.flatMap((date) => {
        const found: ClockChange[] = []
        const [start, end] = [date, dateAfter(date)].map((day) => firstInstantOf(zone, Date.parse(day))) as [
          number,
          number,
        ]
        for (let at = start; at < end; ) {
          const { from, to, offsetMs, offsetBeforeMs } = zone.stretchAt(at)
          if (from >= start && offsetMs !== offsetBeforeMs) found.push({ date, timezone, at: from })
          at = to
        }
        return found
      })
    })
    .toSorted((a, b) => a.at - b.at)
}

/** The clock before and after a change: `03:00 +02:00`. */
export function clockAround({ timezone, at }: ClockChange): { readonly before: string; readonly after: string } {
  const zone = timeZone(timezone)
  const { offsetBeforeMs } = zone.stretchAt(at)
  const after = localTime(zone, at)
  const before = localTime(zone, at - 1)
  const { time: shown } = clockTime(at + offsetBeforeMs)
  return { before: `${shown} ${before.offset}`, after: `${after.time} ${after.offset}` }
}

function tooMany(dates: Dates): AudienceError {
  const message = `there are more than ${count(MOST_SLOTS, 'slot')} in ${count(dates.length, 'day')}`
  return usageError('too-many-slots', message, 'give fewer --days, or name fewer documents')
}
