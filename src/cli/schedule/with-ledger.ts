import { systemClock } from '../../clock.ts'
import type { Settings } from '../../config/settings.ts'
import type { TriggerLedger } from '../../core/trigger-ledger.ts'
import { openEmbeddedState } from '../../engine/embedded/open-embedded-state.ts'
import { openReadableState, type ReadableState } from '../../engine/embedded/open-readable-state.ts'

/** Opens what is recorded of triggers for the time of some work that writes. */
export async function withLedger<T>({ state }: Settings, work: (ledger: TriggerLedger) => Promise<T>): Promise<T> {
  const { journal, triggers } = openEmbeddedState({ folder: state, redact: (text) => text, now: systemClock.now })
  try {
    return await work(triggers)
  } finally {
    journal.close()
  }
}

/** The same for work that only looks; undefined where nothing has been recorded yet. */
export function withReadableState<T>({ state }: Settings, work: (state: ReadableState | undefined) => T): T {
  const readable = openReadableState(state)
  try {
    return work(readable)
  } finally {
    readable?.close()
  }
}
