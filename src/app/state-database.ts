import { migrateDbos } from '../engine/distributed/dbos.ts'
import { databasePlace } from '../state/postgres/connect.ts'
import { failureAt } from '../state/postgres/database-failure.ts'
import { migrateDatabase } from '../state/postgres/migrate-database.ts'

/** The maintenance of the tables of a state in PostgreSQL: commands reach them only through this module. */
// biome-ignore lint/performance/noBarrelFile: commands may import from app, and not from state/postgres
export { copyState } from '../state/copy/copy-state.ts'
export { checkDatabase } from '../state/postgres/check-database.ts'

/** Creates or updates the tables of the state and of DBOS. Returns the versions of the state's own tables. */
export async function migrateState(url: string): Promise<{ readonly from: number; readonly to: number }> {
  const versions = await migrateDatabase(url)
  try {
    await migrateDbos(url)
  } catch (error) {
    throw failureAt(databasePlace(url), error)
  }
  return versions
}
