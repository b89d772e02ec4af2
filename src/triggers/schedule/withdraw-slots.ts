import type { TriggerRef } from '../../core/occurrence.ts'
import type { Actor } from '../../core/run.ts'
import type { OccurrenceStore } from '../../state/occurrence-store.ts'

export interface SlotPeriod {
  /** In milliseconds since 1970; a slot at `to` is not included. */
  readonly from: number
  readonly to: number
}

/**
 * Undoes a backfill: skips the slots of a period that are still due. Slots that have a run keep it. It is an entry of the
 * audit log. Resolves with the times of these slots, newest first; with `dryRun` it only says which those are.
 */
export async function withdrawSlots(
  occurrences: Pick<OccurrenceStore, 'list' | 'note'>,
  ref: TriggerRef,
  { from, to, actor, dryRun = false }: SlotPeriod & { readonly actor: Actor; readonly dryRun?: boolean },
): Promise<readonly number[]> {
  const due = await occurrences.list({ ...ref, from, to, state: ['due'], limit: Number.MAX_SAFE_INTEGER })
  if (!dryRun) {
    const act = { ...actor, act: 'schedule.withdraw', detail: backfillDetail({ from, to }, due.length) } as const
    const withdrawn = due.map(({ key, at }) => ({ key, at, state: 'skipped', reason: 'withdrawn' }) as const)
    await occurrences.note(ref, { occurrences: withdrawn, act })
  }
  return due.map(({ at }) => at)
}

/** What the audit log says of a backfill, and of its withdrawal. */
export function backfillDetail({ from, to }: SlotPeriod, slots: number): string {
  const period = [from, to].map((ms) => new Date(ms).toISOString()).join(' to ')
  return `${period}, ${slots} ${slots === 1 ? 'slot' : 'slots'}`
}
