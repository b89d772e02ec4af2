import { AudienceError } from '../../core/errors.ts'
import type { TriggerRef } from '../../core/occurrence.ts'
import { type ScheduleTrigger, WEEKDAYS } from '../../core/pipeline.ts'
import type { DaysOff } from './days-off.ts'
import { jitterOf } from './jitter-of.ts'
import { type LocalTime, localTime } from './local-time.ts'
import { isCron, readCron } from './read-cron.ts'
import { slotsAfter } from './slots-after.ts'
import { timeZone } from './time-zone.ts'

/** A schedule with its slots; instants are in milliseconds since 1970. */
export interface Schedule {
  readonly ref: TriggerRef
  readonly trigger: ScheduleTrigger
  /** What determines the slots: two schedules with equal `times` have the same slots. */
  readonly times: string
  /** The slots after an instant, in order, without end, including those on excluded days. */
  slotsAfter(ms: number): Iterable<number>
  /**
   * Whether a slot is on a day without slots. Throws an AudienceError if that depends on a file that cannot be read.
   */
  isExcluded(slotMs: number): boolean
  /** When the run of a slot starts: the slot plus its jitter. */
  startOf(slotMs: number): number
  /** In the schedule's time zone. */
  localTime(ms: number): LocalTime
}

/** The schedule of a trigger in a valid document; `daysOff` holds the content of its `exclude.file`. */
export function createSchedule(pipeline: string, trigger: ScheduleTrigger, daysOff?: DaysOff): Schedule {
  const cron = readCron(trigger.cron)
  if (!isCron(cron)) {
    const { message, hint } = cron
    throw new AudienceError({ code: 'bad-cron', kind: 'invalid', message: `${trigger.cron}: ${message}`, hint })
  }
  const zone = timeZone(trigger.timezone)
  const rule = { cron, zone, repeatedHour: trigger.repeatedHour }
  const dates = new Set(trigger.exclude.dates)
  const weekdays = new Set<string>(trigger.exclude.weekdays)
  return {
    ref: { pipeline, trigger: trigger.id },
    trigger,
    times: [trigger.cron, trigger.timezone, trigger.repeatedHour].filter(Boolean).join(' '),
    slotsAfter: (ms) => slotsAfter(rule, ms),
    isExcluded: (slotMs) => {
      const { date } = localTime(zone, slotMs)
      return dates.has(date) || weekdays.has(weekdayOf(date)) || (daysOff?.has(date) ?? false)
    },
    startOf: (slotMs) => slotMs + jitterOf(pipeline, trigger, slotMs),
    localTime: (ms) => localTime(zone, ms),
  }
}

/**
 * The schedule after an edit. A slot that still waits for its old jitter starts at `now` at the earliest, so the edit
 * does not make it late.
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
