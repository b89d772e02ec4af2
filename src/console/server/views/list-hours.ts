import type { FinalStatus } from '../../../core/run.ts'
import { timeText } from '../run-item.ts'
import type { View } from './view.ts'

/** How runs ended, by the hour of their submission. */
export const listHours: View<'hours.list'> = async ({ runs }, { from, to, pipeline }) => {
  const period = { from: Date.parse(from), to: Date.parse(to) }
  const counts = await runs.countsByHour({ ...period, ...(pipeline !== undefined && { pipeline }) })
  const hours = new Map<number, Record<FinalStatus, number>>()
  for (const { at, status, runs: count } of counts) {
    const hour = hours.get(at) ?? { succeeded: 0, failed: 0, cancelled: 0 }
    hour[status] = count
    hours.set(at, hour)
  }
  return { hours: [...hours].map(([at, ended]) => ({ at: timeText(at), ...ended })) }
}
