import { systemClock } from './clock.ts'
import type { Settings } from './config/settings.ts'
import type { Journal } from './core/journal.ts'
import { openEmbeddedState } from './engine/embedded/open-embedded-state.ts'

/** The recorded runs alone, for commands that execute no run: it neither starts nor contacts a service. */
export function openHistory({ state }: Settings): Journal {
  return openEmbeddedState({ folder: state, redact: (text) => text, now: systemClock.now }).journal
}
