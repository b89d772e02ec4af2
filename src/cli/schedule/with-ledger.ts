import type { Settings } from '../../config/settings.ts'
import { systemClock } from '../../platform/clock.ts'
import type { TriggerLedger } from '../../state/occurrence-store.ts'
import { openEmbeddedState } from '../../state/sqlite/open-embedded-state.ts'

/** Opens the trigger ledger while some work writes to it. */
export async function withLedger<T>({ state }: Settings, work: (ledger: TriggerLedger) => Promise<T>): Promise<T> {
  const { journal, triggers } = openEmbeddedState({ folder: state, redact: (text) => text, now: systemClock.now })
  try {
    return await work(triggers)
  } finally {
    journal.close()
  }
}
