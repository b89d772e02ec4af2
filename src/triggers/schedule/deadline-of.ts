import type { ScheduleTrigger } from '../../core/trigger.ts'
import { slotsAfter } from './slots-after.ts'
import { timeZone } from './time-zone.ts'

/**
 * When the run of a slot is late, in milliseconds since 1970: at the first time after the slot when the local clock
 * shows `deadline`. Undefined for a trigger without a deadline. If a clock change skips that time, it is the first
 * instant after the gap.
 */
export function deadlineOf(
  trigger: Pick<ScheduleTrigger, 'deadline' | 'timezone'>,
  slotMs: number,
): number | undefined {
  if (trigger.deadline === undefined) return undefined
  const [hour, minute] = trigger.deadline.split(':').map(Number)
  const cron = { isInterval: false, hours: [hour ?? 0], minutes: [minute ?? 0], months: EVERY_MONTH }
  const times = slotsAfter({ cron, zone: timeZone(trigger.timezone) }, slotMs)
  return times.next().value ?? undefined
}

const EVERY_MONTH: ReadonlySet<number> = new Set(Array.from({ length: 12 }, (_, index) => index + 1))
