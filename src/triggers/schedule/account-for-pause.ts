import type { OccurrenceStore } from '../../state/occurrence-store.ts'
import { noteSlots } from './note-slots.ts'
import type { Schedule } from './schedule.ts'

/**
 * Records the slots of a pause that no daemon has seen as skipped; otherwise they would later count as missed. To be
 * called before the schedule is resumed; resolves to how many there were. Rejects if the state fails.
 */
export async function accountForPause(
  schedule: Schedule,
  occurrenceStore: Pick<OccurrenceStore, 'memory' | 'find' | 'note'>,
  now: number,
): Promise<number> {
  let skipped = 0
  for (;;) {
    const { noted, decision } = await noteSlots(schedule, occurrenceStore, now)
    skipped += noted.filter(({ state }) => state === 'skipped').length
    if (!decision.more) return skipped
  }
}
