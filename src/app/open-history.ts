import type { Settings } from '../config/settings.ts'
import { systemClock } from '../platform/clock.ts'
import type { Journal } from '../state/journal.ts'
import { openEmbeddedState } from '../state/sqlite/open-embedded-state.ts'

/** The recorded runs alone, for commands that execute no run: it neither starts nor contacts a service. */
export function openHistory({ state }: Settings): Journal {
  return openEmbeddedState({ folder: state, redact: (text) => text, now: systemClock.now }).journal
}
