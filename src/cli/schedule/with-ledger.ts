import { systemClock } from '../../clock.ts'
import type { Settings } from '../../config/settings.ts'
import type { TriggerLedger } from '../../core/trigger-ledger.ts'
import { openEmbeddedState } from '../../engine/embedded/open-embedded-state.ts'

/** Opens the trigger ledger while some work writes to it. */
export async function withLedger<T>({ state }: Settings, work: (ledger: TriggerLedger) => Promise<T>): Promise<T> {
  const { journal, triggers } = openEmbeddedState({ folder: state, redact: (text) => text, now: systemClock.now })
  try {
    return await work(triggers)
  } finally {
    journal.close()
  }
}
