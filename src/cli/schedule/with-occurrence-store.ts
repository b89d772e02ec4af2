import type { Settings } from '../../config/settings.ts'
import { systemClock } from '../../platform/clock.ts'
import type { OccurrenceStore } from '../../state/occurrence-store.ts'
import { openEmbeddedState } from '../../state/sqlite/open-embedded-state.ts'

/** Opens the occurrence store while some work writes to it. */
export async function withOccurrenceStore<T>(
  { state }: Settings,
  work: (occurrenceStore: OccurrenceStore) => Promise<T>,
): Promise<T> {
  const { journal, triggers } = openEmbeddedState({ folder: state, redact: (text) => text, now: systemClock.now })
  try {
    return await work(triggers)
  } finally {
    journal.close()
  }
}
