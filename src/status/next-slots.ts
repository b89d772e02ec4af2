import { isoTime } from '../core/iso-time.ts'
import { type TriggerRef, triggerRefOf } from '../core/occurrence.ts'
import type { TriggerMemory } from '../state/occurrence-store.ts'
import { comingSlots } from '../triggers/schedule/coming-slots.ts'
import { type LiveSchedule, openSchedule } from '../triggers/schedule/live-schedule.ts'
import type { Schedule } from '../triggers/schedule/schedule.ts'
import type { NextSlot } from './status-report.ts'

/**
 * The next slots of all schedules that are not paused, in order, and why the slots of a schedule are unknown. The first
 * slot of each schedule comes before further slots of others, so that a schedule with a slot each minute does not hide
 * the others. Times are in milliseconds since 1970.
 */
export function nextSlots(
  schedules: readonly LiveSchedule[],
  {
    after,
    limit,
    memoryOf,
    checkFile,
  }: {
    after: number
    limit: number
    memoryOf: (ref: TriggerRef) => TriggerMemory | undefined
    checkFile: (path: string) => void
  },
): {
  readonly slots: readonly NextSlot[]
  readonly problems: readonly { file: string; messages: readonly string[] }[]
} {
  const problems: { file: string; messages: readonly string[] }[] = []
  const active = schedules.filter((live) => memoryOf(triggerRefOf(live))?.pausedAt === undefined)
  const found = active.map((live) => {
    const { slots, problem } = comingSlots(openSchedule(live, { checkFile }), { after, limit })
    if (problem) problems.push({ file: live.pipeline.file, messages: [`${live.trigger.id}: ${problem.message}`] })
    return slots
  })
  const inOrder = (slots: (typeof found)[number]) => slots.toSorted((a, b) => a.at - b.at)
  const first = inOrder(found.flatMap((slots) => slots.slice(0, 1)))
  const further = inOrder(found.flatMap((slots) => slots.slice(1)))
  const shown = inOrder([...first, ...further].slice(0, limit))
  return { slots: shown.map(({ schedule, at }) => nextSlot(schedule, at)), problems }
}

function nextSlot(schedule: Schedule, at: number): NextSlot {
  const { date, time, offset } = schedule.localTime(at)
  return {
    ...schedule.ref,
    at: isoTime(at),
    startsAt: isoTime(schedule.startOf(at)),
    local: `${date} ${time} ${offset}`,
    timezone: schedule.trigger.timezone,
  }
}
