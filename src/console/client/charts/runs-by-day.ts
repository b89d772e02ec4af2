import { dayOf } from '../time/format-time.ts'

export interface DayOfRuns {
  readonly day: string
  readonly succeeded: number
  readonly failed: number
  /** Cancelled, or not ended yet. */
  readonly other: number
}

/** Counts by the hour, as counts by the days of a zone; days without runs are there too. */
export function runsByDay(
  hours: readonly { readonly at: string; readonly status: string; readonly runs: number }[],
  days: readonly string[],
  zone: string,
): DayOfRuns[] {
  const found = new Map(days.map((day) => [day, { day, succeeded: 0, failed: 0, other: 0 }]))
  for (const { at, status, runs } of hours) {
    const day = found.get(dayOf(Date.parse(at), zone))
    if (day) day[status === 'succeeded' || status === 'failed' ? status : 'other'] += runs
  }
  return [...found.values()]
}
