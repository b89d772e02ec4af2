import { packageMissing } from '../../core/package-missing.ts'
import { withPasswordOfFile } from '../../state/postgres/password-file.ts'

/** The package of DBOS. It is optional, and loaded only if the state is a database. */
export type DbosPackage = Pick<typeof import('@dbos-inc/dbos-sdk'), 'DBOS' | 'DBOSClient'>

export async function loadDbos(): Promise<DbosPackage> {
  try {
    return await import('@dbos-inc/dbos-sdk')
  } catch (error) {
    throw packageMissing('@dbos-inc/dbos-sdk', error)
  }
}

/** Creates or upgrades the tables of DBOS in the schema `dbos`. */
export async function migrateDbos(url: string): Promise<void> {
  await loadDbos()
  // DBOS.migrate is not used, because it writes to standard output.
  const { migrateSystemDatabase } = await import('@dbos-inc/dbos-sdk/internal/system_database')
  const { GlobalLogger } = await import('@dbos-inc/dbos-sdk/internal/telemetry/logs')
  const silent = { info: () => {}, debug: () => {}, warn: () => {}, error: () => {} }
  await migrateSystemDatabase(withPasswordOfFile(url), new GlobalLogger(undefined, { logger: silent }))
}
