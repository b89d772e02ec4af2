import type { Redact } from '../../src/core/secrets.ts'
import { openPostgresState, type PostgresState } from '../../src/state/postgres/open-postgres-state.ts'
import type { Place, RunWriter } from '../contract/run-writer.ts'
import { around } from './around.ts'
import { createDatabase } from './postgres.ts'
import { seedRuns } from './seed-runs.ts'

const unchanged = (text: string) => text

/** A state in a new database, for a suite. */
export function postgresPlace({
  redact = unchanged,
}: {
  readonly redact?: Redact
} = {}): Place<PostgresState & { readonly journal: RunWriter }, [service?: string]> {
  let database: ReturnType<typeof createDatabase> | undefined
  return {
    async open(service) {
      database ??= createDatabase()
      const { url } = await database
      const here = { profile: 'local', ...(service !== undefined && { service }) }
      const state = await openPostgresState({ url, redact, ...around, here })
      return { ...state, journal: seedRuns(state, here) }
    },
    remove: async () => (await database)?.remove(),
  }
}
