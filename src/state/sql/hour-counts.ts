import { HOUR_MS } from '../../core/duration.ts'
import type { FinalStatus } from '../../core/run.ts'
import type { HourCount } from '../run-history.ts'

/**
 * Rows of the table `run_hours` as one row of three lists, each a JSON text: a year has 17,000 rows, and making a value of
 * each of their fields takes twice the time.
 */
interface HourLists {
  readonly hours?: unknown
  readonly statuses?: unknown
  readonly runs?: unknown
}

/** A run that succeeded in part counts as both. */
type Outcome = FinalStatus | 'partial'

/** The counts of each hour; several rows of one hour and status are added up. */
export function hourCounts({ hours, statuses, runs }: HourLists = {}): HourCount[] {
  // The writers of runs copy the status from ended runs.
  const [hourList, statusList, runList] = [hours, statuses, runs].map(listOf) as [number[], Outcome[], number[]]
  const counts = new Map<number, { -readonly [Name in keyof HourCount]: HourCount[Name] }>()
  for (const [index, hour] of hourList.entries()) {
    const count = counts.get(hour) ?? { at: hour * HOUR_MS, succeeded: 0, succeededInPart: 0, failed: 0, cancelled: 0 }
    const status = statusList[index]
    if (status !== undefined) count[status === 'partial' ? 'succeededInPart' : status] += runList[index] ?? 0
    counts.set(hour, count)
  }
  return [...counts.values()].sort((a, b) => a.at - b.at)
}

function listOf(value: unknown): unknown[] {
  return typeof value === 'string' ? JSON.parse(value) : []
}
