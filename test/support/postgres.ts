import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, inject, onTestFinished } from 'vitest'
import { migrateDbos } from '../../src/engine/distributed/dbos.ts'
import { migrateDatabase } from '../../src/state/postgres/migrate-database.ts'
import { sql } from './sql.ts'
import { CLUSTER_FOLDER, hasPostgres, startPostgres } from './start-postgres.ts'

const TEMPLATE = 'audience_template'

/** Like `describe`, but skipped if PostgreSQL is not installed. The global set-up reports that, or fails. */
export const describeWithPostgres = describe.skipIf(!hasPostgres())

/**
 * The URL of a new database with the tables of a state, removed after the test. Tests that run concurrently pass their
 * own `whenEnded`.
 */
export async function newDatabase(whenEnded = onTestFinished): Promise<string> {
  const database = await createDatabase()
  whenEnded(database.remove)
  return database.url
}

/** Like `newDatabase`, but the caller removes it. Without `migrated` it is empty. */
export async function createDatabase({ migrated = true } = {}): Promise<{ url: string; remove(): Promise<void> }> {
  const cluster = await sharedCluster()
  const name = `test_${randomUUID().replaceAll('-', '')}`
  // Copying files takes less than half the work of copying through the log.
  await sql(cluster, `CREATE DATABASE ${name}${migrated ? ` TEMPLATE ${TEMPLATE} STRATEGY file_copy` : ''}`)
  return {
    url: `${cluster}/${name}`,
    remove: () => sql(cluster, `DROP DATABASE ${name} WITH (FORCE)`),
  }
}

/**
 * One PostgreSQL for all processes of the tests. The first process that needs it starts it; the global set-up ends it.
 */
async function sharedCluster(): Promise<string> {
  const folder = join(inject('sharedFolder'), CLUSTER_FOLDER)
  const ready = join(folder, 'url')
  try {
    mkdirSync(folder)
  } catch {
    // Another process has begun to start it.
    while (!existsSync(ready)) {
      if (existsSync(join(folder, 'failed'))) throw new Error('PostgreSQL could not be started by another test')
      await sleep(50)
    }
    return readFileSync(ready, 'utf8')
  }
  try {
    // The data of a test must survive the end of PostgreSQL's processes, but need not survive a crash of the machine.
    const settings = { fsync: 'off', full_page_writes: 'off', max_connections: '300' }
    // Next to the folder that all processes share. The folder for temporary files may belong to this process and be
    // removed with it.
    const { url, data } = await startPostgres(settings, dirname(inject('sharedFolder')))
    writeFileSync(join(folder, 'data'), data)
    await sql(url, `CREATE DATABASE ${TEMPLATE}`)
    await migrateDatabase(`${url}/${TEMPLATE}`)
    await migrateDbos(`${url}/${TEMPLATE}`)
    writeFileSync(`${ready}.new`, url)
    renameSync(`${ready}.new`, ready)
    return url
  } catch (error) {
    writeFileSync(join(folder, 'failed'), '')
    throw error
  }
}
