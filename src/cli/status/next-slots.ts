import { dirname, resolve } from 'node:path'
import { AudienceError } from '../../core/errors.ts'
import type { Pipeline, ScheduleTrigger } from '../../core/pipeline.ts'
import { readDaysOff } from '../../triggers/schedule/read-days-off.ts'
import { createSchedule, type Schedule } from '../../triggers/schedule/schedule.ts'
import type { NextSlot } from './status-report.ts'

/** So many slots on days without slots are passed over; a schedule with more of them has no next slot here. */
const MAX_EXCLUDED = 10_000

/**
 * The next slots of all schedules together, in order, and what keeps those of a schedule from being known. Times are in
 * milliseconds since 1970.
 */
export function nextSlots(
  schedules: readonly { readonly pipeline: Pipeline; readonly trigger: ScheduleTrigger }[],
  { after, limit }: { readonly after: number; readonly limit: number },
): {
  readonly slots: readonly NextSlot[]
  readonly problems: readonly { file: string; messages: readonly string[] }[]
} {
  const problems: { file: string; messages: readonly string[] }[] = []
  const found = schedules.flatMap(({ pipeline, trigger }) => {
    try {
      const schedule = createSchedule(pipeline.name, trigger, daysOffOf(pipeline, trigger))
      return slotsOf(schedule, after, limit).map((at) => ({ schedule, at }))
    } catch (error) {
      if (!(error instanceof AudienceError)) throw error
      problems.push({ file: pipeline.file, messages: [`${trigger.id}: ${error.message}`] })
      return []
    }
  })
  const first = found.sort((a, b) => a.at - b.at).slice(0, limit)
  return { slots: first.map(({ schedule, at }) => nextSlot(schedule, at)), problems }
}

function slotsOf(schedule: Schedule, after: number, limit: number): number[] {
  const slots: number[] = []
  let excluded = 0
  for (const at of schedule.slotsAfter(after)) {
    if (!schedule.isExcluded(at)) slots.push(at)
    else excluded += 1
    if (slots.length === limit || excluded === MAX_EXCLUDED) break
  }
  return slots
}

function nextSlot(schedule: Schedule, at: number): NextSlot {
  const { date, time, offset } = schedule.localTime(at)
  return {
    ...schedule.ref,
    at: new Date(at).toISOString(),
    startsAt: new Date(schedule.startOf(at)).toISOString(),
    local: `${date} ${time} ${offset}`,
    timezone: schedule.trigger.timezone,
  }
}

function daysOffOf(pipeline: Pipeline, { exclude, timezone }: ScheduleTrigger) {
  if (exclude.file === undefined) return undefined
  // It is read once here, so that there is no earlier content for a problem to be told of.
  return readDaysOff({ path: resolve(dirname(pipeline.file), exclude.file), timezone, onProblem: () => undefined })
}
