import { expect, test } from 'vitest'
import { openPostgresState } from '../../../src/state/postgres/open-postgres-state.ts'
import { around } from '../../support/around.ts'
import { pipeline, step } from '../../support/pipelines.ts'
import { describeWithPostgres } from '../../support/postgres.ts'
import { sql } from '../../support/sql.ts'
import { distributedWorld } from './support/distributed-world.ts'

/** The rows that a run adds. Rows of workers and hourly counts are shared by many runs. */
const TABLES = ['runs', 'records', 'messages', 'run_groups', 'figures', 'run_guards', 'outbox_events', 'audit']

/** A role that may only read and write the content of the two schemas. */
async function asWorker(url: string): Promise<string> {
  const worker = new URL(url)
  const database = worker.pathname.slice(1)
  worker.username = `worker_${database}`
  const { username } = worker
  await sql(
    url,
    `CREATE ROLE ${username} LOGIN`,
    'REVOKE ALL ON SCHEMA public FROM PUBLIC',
    `REVOKE ALL ON DATABASE ${database} FROM PUBLIC`,
    `GRANT CONNECT ON DATABASE ${database} TO ${username}`,
    ...['audience', 'dbos'].flatMap((schema) => [
      `GRANT USAGE ON SCHEMA ${schema} TO ${username}`,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${username}`,
      `GRANT SELECT, USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${username}`,
    ]),
  )
  return worker.href
}

describeWithPostgres('a worker whose role has rights on the two schemas only', () => {
  test('works on runs, each of four steps in at most 17 rows of its own, and removes them', async () => {
    let role = ''
    const world = await distributedWorld({ asRole: async (url) => (role = await asWorker(url)) })
    const engine = await world.open(async (context) => ({ id: await context.once('id', async () => 'x') }))
    const state = await openPostgresState({ url: role, redact: (text) => text, ...around })
    const steps = ['a', 'b', 'c', 'd'].map((id, index, ids) => step(id, { needs: ids.slice(index - 1, index) }))
    await engine.submit({ runId: 'r', pipeline: pipeline(steps), inputs: {}, trigger: {}, folder: '/' })
    for await (const _ of engine.events('r')) {
      // Until the run has ended.
    }
    expect(await state.runs.find('r')).toMatchObject({ status: 'succeeded' })
    const rows = await state.db.row(
      `SELECT ${TABLES.map((table) => `(SELECT count(*) FROM audience.${table})`).join(' + ')} AS count`,
    )
    expect(Number(rows?.count)).toBeGreaterThan(2 * steps.length)
    expect(Number(rows?.count)).toBeLessThanOrEqual(17)
    await state.ping()
    await state.outbox.begin()
    await state.runs.send('r', { kind: 'cancel', by: 'Ana' })
    expect(await state.runs.remove(['r'], 1000)).toBe(1)
    expect(await state.runs.pack(1000)).toBe(false)
    await state.close()
    await world.remove()
    await sql(new URL('/postgres', world.url).href, `DROP ROLE ${new URL(role).username}`)
  })
})
