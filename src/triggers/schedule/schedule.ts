import { DAY_MS } from '../../core/duration.ts'
import { invalidError } from '../../core/errors.ts'
import type { TriggerRef } from '../../core/occurrence.ts'
import { sha256 } from '../../core/sha256.ts'
import { type ScheduleTrigger, WEEKDAYS } from '../../core/trigger.ts'
import type { DaysOff } from './days-off.ts'
import { clockTime, firstInstantOf, type LocalTime, localTime } from './local-time.ts'
import { isCron, readCron } from './read-cron.ts'
import { slotsAfter, timesOfSlot } from './slots-after.ts'
import { timeZone } from './time-zone.ts'

/** A schedule with its slots; instants are in milliseconds since 1970. */
export interface Schedule {
  readonly ref: TriggerRef
  readonly trigger: ScheduleTrigger
  /** What determines the slots: two schedules with equal `times` have the same slots. */
  readonly times: string
  /** The slots after an instant, in order and without end, including those on excluded days. */
  slotsAfter(ms: number): Iterable<number>
  /**
   * Whether a slot is on a day without slots. A slot that stands for the times in a gap belongs to the days of those
   * times: it is excluded if all of those days are excluded. Throws an AudienceError if that depends on a file that
   * cannot be read.
   */
  isExcluded(slotMs: number): boolean
  /** When the run of a slot starts: the slot plus its jitter. */
  startOf(slotMs: number): number
  /** In the schedule's time zone. */
  localTime(ms: number): LocalTime
  /**
   * The date and the time that a slot is for, in the schedule's time zone. They are the `localTime` of the slot, unless
   * the slot is for another day: a slot at `0:00` after a gap that begins at 23:00 is for `23:30` of the day before.
   */
  dayOf(slotMs: number): Pick<LocalTime, 'date' | 'time'>
  /**
   * The first instant at which its clock shows a time, such as `2026-12-25T09:30`; if that time is in a gap, the end of
   * the gap.
   */
  instantOf(local: string): number
  /** The first instant whose slots are for the given day or a later one. The day is written as `2026-12-25`. */
  startOfDay(date: string): number
}

/** The schedule of a trigger in a valid document; `daysOff` holds the content of its `exclude.file`. */
export function createSchedule(pipeline: string, trigger: ScheduleTrigger, daysOff?: DaysOff): Schedule {
  const cron = readCron(trigger.cron)
  if (!isCron(cron)) {
    const { message, hint } = cron
    throw invalidError('bad-cron', `${trigger.cron}: ${message}`, hint)
  }
  const zone = timeZone(trigger.timezone)
  const rule = { cron, zone, repeatedHour: trigger.repeatedHour }
  const dates = new Set(trigger.exclude.dates)
  const weekdays = new Set<string>(trigger.exclude.weekdays)
  const hasDaysOff = dates.size > 0 || weekdays.size > 0 || daysOff !== undefined
  const isOff = (localMs: number) => {
    if (!hasDaysOff) return false
    const { date } = clockTime(localMs)
    return dates.has(date) || weekdays.has(weekdayOf(date)) || (daysOff?.has(date) ?? false)
  }
  const dayOf = (slotMs: number) => {
    const shown = slotMs + zone.stretchAt(slotMs).offsetMs
    const times = timesOfSlot(rule, slotMs)
    const chosen = (times.length > 1 ? times.find((ms) => !isOff(ms)) : times[0]) ?? shown
    return clockTime(Math.floor(chosen / DAY_MS) === Math.floor(shown / DAY_MS) ? shown : chosen)
  }
  return {
    ref: { pipeline, trigger: trigger.id },
    trigger,
    times: [trigger.cron, trigger.timezone, trigger.repeatedHour].filter(Boolean).join(' '),
    slotsAfter: (ms) => slotsAfter(rule, ms),
    isExcluded: (slotMs) => timesOfSlot(rule, slotMs).every(isOff),
    startOf: (slotMs) => slotMs + jitterOf(pipeline, trigger, slotMs),
    localTime: (ms) => localTime(zone, ms),
    dayOf,
    instantOf: (local) => firstInstantOf(zone, Date.parse(`${local}Z`)),
    startOfDay: (date) => {
      const start = firstInstantOf(zone, Date.parse(date))
      // A slot at that moment can be for the day before.
      return dayOf(start).date < date ? start + 1 : start
    },
  }
}

/**
 * The schedule after an edit. A slot that is still waiting for its old jitter starts at `now` at the earliest, so the
 * edit does not make it late.
 */
export function edited(before: Schedule, after: Schedule, now: number): Schedule {
  return {
    ...after,
    startOf: (slot) => (before.startOf(slot) > now ? Math.max(now, after.startOf(slot)) : after.startOf(slot)),
  }
}

function weekdayOf(date: string): string {
  // `getUTCDay` begins the week with Sunday, `WEEKDAYS` with Monday.
  return WEEKDAYS[(new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7] ?? ''
}

/** The key of a slot in the occurrence store: its time in UTC. */
export function slotKey(slotMs: number): string {
  return new Date(slotMs).toISOString()
}

/**
 * How many milliseconds later than its time a slot starts: from 0 to the trigger's jitter. The result for a slot is
 * always the same, in every process, and is spread evenly over slots, triggers and pipelines.
 */
export function jitterOf(pipeline: string, trigger: Pick<ScheduleTrigger, 'id' | 'jitterMs'>, slotMs: number): number {
  if (trigger.jitterMs === 0) return 0
  const share = Number.parseInt(sha256(JSON.stringify([pipeline, trigger.id, slotMs])).slice(0, 8), 16) / 2 ** 32
  return Math.floor(share * (trigger.jitterMs + 1))
}
