import { openStateOnly } from '../app/open-state-only.ts'
import type { Settings } from '../config/settings.ts'
import type { State } from '../state/state.ts'
import { settingsOf } from './settings-of.ts'
import type { Terminal } from './terminal.ts'

/**
 * Opens the state that the settings name, for work that writes to it. Without `settings`, uses the settings of the
 * terminal.
 */
export async function withState<T>(
  terminal: Terminal,
  work: (state: State) => Promise<T>,
  settings: Settings = settingsOf(terminal),
): Promise<T> {
  const { secrets, surroundings } = terminal
  const state = await openStateOnly(settings, { ...surroundings, redact: secrets.redact })
  try {
    return await work(state)
  } finally {
    await state.close()
  }
}
