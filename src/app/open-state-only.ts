import type { Settings } from '../config/settings.ts'
import { systemClock } from '../platform/clock.ts'
import { openEmbeddedState } from '../state/sqlite/open-embedded-state.ts'
import type { State } from '../state/state.ts'

/** The state alone, for commands that execute no run: it neither starts nor contacts a service. */
export function openStateOnly({ state }: Pick<Settings, 'state'>): State {
  return openEmbeddedState({ folder: state, redact: (text) => text, now: systemClock.now })
}
