import { dirname, resolve } from 'node:path'
import type { AudienceError } from '../../core/errors.ts'
import type { Pipeline } from '../../core/pipeline.ts'
import type { ScheduleTrigger } from '../../core/trigger.ts'
import { readDaysOff } from './read-days-off.ts'
import { createSchedule, type Schedule } from './schedule.ts'

/** A schedule of a document. */
export interface LiveSchedule {
  readonly pipeline: Pipeline
  readonly trigger: ScheduleTrigger
}

/**
 * The schedule with the days off that its file currently lists. Calls `onProblem` once when the file can no longer be
 * read, or is no longer allowed (`checkFile` throws); the last good content then still applies.
 */
export function openSchedule(
  { pipeline, trigger }: LiveSchedule,
  {
    checkFile,
    onProblem = () => undefined,
  }: {
    checkFile: (path: string) => void
    onProblem?: (problem: AudienceError) => void
  },
): Schedule {
  const { file } = trigger.exclude
  if (file === undefined) return createSchedule(pipeline.name, trigger)
  const path = resolve(dirname(pipeline.file), file)
  return createSchedule(pipeline.name, trigger, readDaysOff({ path, timezone: trigger.timezone, checkFile, onProblem }))
}
