import type { ApiAnswerOf } from '../../api/operations.ts'
import { dayOf } from '../time/format-time.ts'

type HourOfRuns = ApiAnswerOf<'hours.list'>['hours'][number]
export type DayOfRuns = Omit<HourOfRuns, 'at'> & { readonly day: string }

/** Turns hourly counts into daily counts for a time zone. Days without runs are included. */
export function runsByDay(hours: readonly HourOfRuns[], days: readonly string[], zone: string): DayOfRuns[] {
  const found = new Map(days.map((day) => [day, { day, succeeded: 0, succeededInPart: 0, failed: 0, cancelled: 0 }]))
  for (const hour of hours) {
    const day = found.get(dayOf(Date.parse(hour.at), zone))
    if (!day) continue
    day.succeeded += hour.succeeded
    day.succeededInPart += hour.succeededInPart
    day.failed += hour.failed
    day.cancelled += hour.cancelled
  }
  return [...found.values()]
}

/** The parts of a day's bar, from the top. Runs that succeeded in part are a separate part. */
export function barParts({ succeeded, succeededInPart, failed, cancelled }: DayOfRuns) {
  return [
    ['failed', failed],
    ['other', cancelled],
    ['partial', succeededInPart],
    ['ok', succeeded - succeededInPart],
  ] as const
}
