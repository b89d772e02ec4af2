import type { StepContext } from '../../src/core/engine.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { migrateDbos } from '../../src/engine/distributed/dbos.ts'
import type { DistributedDeps, SharingEngine } from '../../src/engine/distributed/sharing-engine.ts'
import { migrateDatabase } from '../../src/state/postgres/migrate-database.ts'
import { openWorker } from '../../test/support/open-worker.ts'
import { sql } from '../../test/support/sql.ts'
import { type Postgres, startPostgres, stopPostgres } from '../../test/support/start-postgres.ts'
import { redactThree } from '../support/redact-three.ts'

/** A new PostgreSQL with its default durability and the tables of a state. */
export async function startDatabase(): Promise<{
  readonly url: string
  readonly cluster: Postgres
  stop(): void
}> {
  const cluster = await startPostgres()
  const url = `${cluster.url}/audience`
  await sql(cluster.url, 'CREATE DATABASE audience')
  await migrateDatabase(url)
  await migrateDbos(url)
  return { url, cluster, stop: () => stopPostgres(cluster.data) }
}

/** A worker like that of `audience start`, but all its steps do the same work. */
export async function openBenchWorker(
  url: string,
  work: (context: StepContext) => Promise<JsonObject>,
  options: Pick<DistributedDeps, 'maxRuns' | 'protocol'> = {},
): Promise<{ readonly engine: SharingEngine; close(): Promise<void> }> {
  const log: DistributedDeps['log'] = (event) => console.error(JSON.stringify(event))
  const { engine, state } = await openWorker(url, work, {
    random: Math.random,
    log,
    redact: redactThree(),
    ...options,
  })
  return {
    engine,
    async close() {
      await engine.stop(1000)
      await state.close()
    },
  }
}
