import { triggerName } from '../../core/occurrence.ts'
import { jsonLine } from '../../core/printable.ts'
import type { ListedOccurrence } from '../../state/occurrence-store.ts'
import type { ReadableState } from '../../state/state.ts'
import type { RemovedSchedule } from '../../status/status-report.ts'
import type { Style } from '../views/style.ts'
import { writeMinute } from '../views/write-time.ts'
import { describeOutcome, outcomeJson } from './occurrence-lines.ts'

interface ListedRemoved {
  readonly schedule: RemovedSchedule
  /** Newest first. */
  readonly slots: readonly ListedOccurrence[]
}

/** Removed schedules with their last slots. */
export async function lookUpRemoved(
  { occurrences }: ReadableState,
  removed: readonly RemovedSchedule[],
  limit: number,
): Promise<readonly ListedRemoved[]> {
  const slotsOf = ({ pipeline, trigger }: RemovedSchedule) =>
    occurrences.list({ pipeline, trigger, kind: 'slot', limit })
  return Promise.all(removed.map(async (schedule) => ({ schedule, slots: await slotsOf(schedule) })))
}

/** The lines for a removed schedule; if it was named, also its last slots. */
export function removedLines(
  { schedule, slots }: ListedRemoved,
  { isNamed, json }: { isNamed: boolean; json: true | undefined },
  style: Style,
): readonly string[] {
  const { pipeline, trigger, message, commands } = schedule
  if (json && isNamed) return slots.map((slot) => jsonLine({ pipeline, trigger, key: slot.key, ...outcomeJson(slot) }))
  if (json) return [jsonLine(schedule)]
  return [
    style('bold', triggerName(schedule)),
    `  ${style('yellow', message)}`,
    ...commands.map((command) => `  ${command}`),
    ...(isNamed ? slots.map((slot) => `  ${writeMinute(slot.at)}  ${describeOutcome(slot, style)}`) : []),
    '',
  ]
}
