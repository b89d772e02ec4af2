import { dayOf } from '../time/format-time.ts'

export interface DayOfRuns {
  readonly day: string
  readonly succeeded: number
  /** How many of the runs that succeeded had steps or items that failed. */
  readonly succeededInPart: number
  readonly failed: number
  readonly cancelled: number
}

/** Turns counts by the hour into counts by the days of a time zone. Days without runs are included. */
export function runsByDay(
  hours: readonly (Omit<DayOfRuns, 'day'> & { readonly at: string })[],
  days: readonly string[],
  zone: string,
): DayOfRuns[] {
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

/** The parts of a day's bar, from the top. Runs that succeeded in part have their own part. */
export function partsOf({ succeeded, succeededInPart, failed, cancelled }: DayOfRuns) {
  return [
    ['failed', failed],
    ['other', cancelled],
    ['partial', succeededInPart],
    ['ok', succeeded - succeededInPart],
  ] as const
}
