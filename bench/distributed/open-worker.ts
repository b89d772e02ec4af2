import type { StepContext } from '../../src/core/engine.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { LOCAL_PROFILE } from '../../src/core/service-ref.ts'
import type { DistributedEngine } from '../../src/engine/distributed/distributed-engine.ts'
import { migrateDbos } from '../../src/engine/distributed/load-dbos.ts'
import { openDistributedEngine } from '../../src/engine/distributed/open-distributed-engine.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { migrateDatabase } from '../../src/state/postgres/migrate-database.ts'
import { openPostgresState } from '../../src/state/postgres/open-postgres-state.ts'
import { readTestPipeline, testStepTypes } from '../../test/support/pipelines.ts'
import { sql } from '../../test/support/sql.ts'
import { startPostgres, stopPostgres } from '../../test/support/start-postgres.ts'

/** A PostgreSQL of its own, synced as it is by itself, with the tables of a state. */
export async function startDatabase(): Promise<{ readonly url: string; stop(): void }> {
  const cluster = await startPostgres()
  const url = `${cluster.url}/audience`
  await sql(cluster.url, 'CREATE DATABASE audience')
  await migrateDatabase(url)
  await migrateDbos(url)
  return { url, stop: () => stopPostgres(cluster.data) }
}

/** A worker as `audience start` has it, whose steps all do the same work. */
export async function openWorker(
  url: string,
  work: (context: StepContext) => Promise<JsonObject>,
  options: { readonly maxRuns?: number } = {},
): Promise<{ readonly engine: DistributedEngine; close(): Promise<void> }> {
  const state = await openPostgresState({ url, redact: (text) => text, now: Date.now })
  const engine = await openDistributedEngine({
    state,
    url,
    here: { profile: LOCAL_PROFILE },
    clock: systemClock,
    random: Math.random,
    stepTypes: testStepTypes,
    runStep: (_name, context) => work(context),
    readPipeline: readTestPipeline,
    env: {},
    takes: 'all',
    version: 'bench',
    log: (text) => console.error(text),
    ...options,
  })
  engine.start()
  return {
    engine,
    async close() {
      await engine.stop(1000)
      await state.close()
    },
  }
}
