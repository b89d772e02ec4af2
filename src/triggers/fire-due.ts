import type { Fire, Firing } from '../core/fire.ts'
import type { Occurrence, TriggerRef } from '../core/occurrence.ts'
import type { OccurrenceStore } from '../state/occurrence-store.ts'

/** How many due occurrences are read at a time. */
const BATCH = 100

/**
 * Fires the due occurrences of a trigger one after the other, oldest first; fires nothing while the trigger is paused.
 */
export async function fireDue(
  ref: TriggerRef,
  firingOf: (occurrence: Occurrence) => Firing | Promise<Firing>,
  { occurrenceStore, fire }: { occurrenceStore: Pick<OccurrenceStore, 'due' | 'memory'>; fire: Fire },
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const due = await occurrenceStore.due(ref, BATCH)
    for (const occurrence of due) {
      if (signal.aborted || (await occurrenceStore.memory(ref))?.pausedAt !== undefined) return
      const { state } = await fire(await firingOf(occurrence))
      // If the occurrence is still due, this loop would fire it again and again.
      if (state === 'due') return
    }
    if (due.length < BATCH) return
  }
}
