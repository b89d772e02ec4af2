import type { Settings } from '../config/settings.ts'
import type { Redact } from '../core/secrets.ts'
import { openEmbeddedState } from '../state/sqlite/open-embedded-state.ts'
import type { State, StateAround } from '../state/state.ts'

/** Opens only the state, for commands that do not execute runs: no service is started or contacted. */
export async function openStateOnly(
  { state, database }: Pick<Settings, 'state' | 'database'>,
  options: StateAround & { redact: Redact },
): Promise<State> {
  if (!database) return openEmbeddedState({ folder: state, ...options })
  const { openPostgresState } = await import('../state/postgres/open-postgres-state.ts')
  return openPostgresState({ url: database.url, ...options })
}
