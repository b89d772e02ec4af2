import type { TriggerLedger } from '../../core/trigger-ledger.ts'
import { decideSlots, type Slot, type SlotDecision } from './decide-slots.ts'
import type { Schedule } from './schedule.ts'

/**
 * Notes what becomes of the slots that have come since the cursor, as many as one decision takes, and tells which those
 * were. What is there already was written by a backfill, and stays. Rejects where the state fails.
 */
export async function noteSlots(
  schedule: Schedule,
  ledger: Pick<TriggerLedger, 'memory' | 'find' | 'note'>,
  now: number,
): Promise<{ readonly noted: readonly Slot[]; readonly decision: SlotDecision }> {
  const { ref, times } = schedule
  const decision = decideSlots(schedule, ledger.memory(ref) ?? {}, now)
  const { slots, cursor } = decision
  const noted = slots.filter(({ key }) => !ledger.find({ ...ref, key }))
  if (slots.length > 0) await ledger.note(ref, { occurrences: noted, cursor, times })
  return { noted, decision }
}
