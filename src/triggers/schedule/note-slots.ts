import type { OccurrenceStore } from '../../state/occurrence-store.ts'
import { classifySlots, type Slot, type SlotDecision } from './classify-slots.ts'
import type { Schedule } from './schedule.ts'

/**
 * Notes the slots whose time has come since the cursor, at most as many as one decision handles. Resolves to the
 * decision. Slots that are already noted come from a backfill and stay as they are. Rejects if the state fails.
 */
export async function noteSlots(
  schedule: Schedule,
  occurrenceStore: Pick<OccurrenceStore, 'memory' | 'find' | 'note'>,
  now: number,
): Promise<{ readonly noted: readonly Slot[]; readonly decision: SlotDecision }> {
  const { ref, times } = schedule
  const decision = classifySlots(schedule, (await occurrenceStore.memory(ref)) ?? {}, now)
  const { slots, cursor } = decision
  const noted: Slot[] = []
  for (const slot of slots) if (!(await occurrenceStore.find({ ...ref, key: slot.key }))) noted.push(slot)
  if (slots.length > 0) await occurrenceStore.note(ref, { occurrences: noted, cursor, times })
  return { noted, decision }
}

/**
 * Records the slots of a pause as skipped if no daemon has seen them; otherwise they would later count as missed. Call
 * it before the schedule is resumed. Resolves to the number of these slots. Rejects if the state fails.
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
