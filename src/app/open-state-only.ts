import type { Settings } from '../config/settings.ts'
import type { Redact } from '../core/secrets.ts'
import { openEmbeddedState } from '../state/sqlite/open-embedded-state.ts'
import type { State, StateAround } from '../state/state.ts'

/** The state alone, for commands that execute no run: it neither starts nor contacts a service. */
export async function openStateOnly(
  { state, database }: Pick<Settings, 'state' | 'database'>,
  options: StateAround & { readonly redact: Redact },
): Promise<State> {
  if (!database) return openEmbeddedState({ folder: state, ...options })
  const { openPostgresState } = await import('../state/postgres/open-postgres-state.ts')
  return openPostgresState({ url: database.url, ...options })
}
