import { test } from 'vitest'
import { migrateDbos } from '../../src/engine/distributed/dbos.ts'
import { migrateDatabase } from '../../src/state/postgres/migrate-database.ts'
import { startFleet } from '../engine/distributed/support/fleet.ts'
import { pipeline, step } from '../support/pipelines.ts'
import { describeWithPostgres, newDatabase } from '../support/postgres.ts'
import { sql } from '../support/sql.ts'
import { crashPostgres, startPostgres, stopPostgres } from '../support/start-postgres.ts'

/** Long enough that no worker on a busy machine counts as dead. */
const LEASE_MS = 5000

const ids = (count: number) => Array.from({ length: count }, (_, index) => `r${String(index).padStart(2, '0')}`)

describeWithPostgres('workers in processes of their own', () => {
  test.concurrent('the runs of a worker that is killed end on another one, and nothing is written twice', async ({
    expect,
    onTestFinished,
  }) => {
    await using fleet = await startFleet(await newDatabase(onTestFinished), { leaseMs: LEASE_MS })
    const victim = await fleet.addWorker()
    fleet.service.hold('r00/a')
    const runs = ids(20)
    for (const runId of runs) await fleet.submit(runId)
    await expect.poll(() => fleet.service.writes.get('r00/a')).toBe(1)
    await fleet.addWorker()
    victim.signal('SIGKILL')
    expect(await victim.ended).toBe('SIGKILL')
    await expect.poll(async () => new Set(await fleet.statuses())).toEqual(new Set(['succeeded']))
    expect(Object.fromEntries(fleet.service.writes)).toEqual(
      Object.fromEntries(runs.flatMap((runId) => [`${runId}/a`, `${runId}/b`]).map((place) => [place, 1])),
    )
  })

  test.concurrent('a worker that was stopped beyond its lease records nothing, writes nothing more, and ends', async ({
    expect,
    onTestFinished,
  }) => {
    await using fleet = await startFleet(await newDatabase(onTestFinished), { leaseMs: LEASE_MS })
    const paused = await fleet.addWorker()
    const release = fleet.service.hold('r/a')
    await fleet.submit('r', { pipeline: pipeline([step('a'), step('b', { needs: ['a'] })]) })
    await expect.poll(() => fleet.service.writes.get('r/a')).toBe(1)
    paused.signal('SIGSTOP')
    await fleet.addWorker()
    await expect.poll(fleet.statuses).toEqual(['succeeded'])
    // The paused worker now gets the answer to its first write, and would continue with the second one.
    release()
    paused.signal('SIGCONT')
    expect(await paused.ended).toBe(75)
    expect(Object.fromEntries(fleet.service.writes)).toEqual({ 'r/a': 1, 'r/b': 1 })
    const records = await fleet.state.runs.records('r')
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index))
    expect(records.filter(({ record }) => record.type === 'effect.done')).toHaveLength(4)
  })

  test.concurrent('while the database is away nothing fails, and afterwards no worker takes the runs of another that lives', async ({
    expect,
  }) => {
    const postgres = await startPostgres()
    try {
      const url = await migrated(postgres.url)
      await using fleet = await startFleet(url, { leaseMs: LEASE_MS })
      const workers = [await fleet.addWorker(), await fleet.addWorker()]
      const release = fleet.service.hold('held/a')
      await fleet.submit('held')
      await expect.poll(() => fleet.service.writes.get('held/a')).toBe(1)
      const before = await fleet.pidOf('held')
      for (const runId of ids(10)) await fleet.submit(runId)
      await crashPostgres(postgres, 2 * LEASE_MS)
      release()
      await expect.poll(async () => new Set(await fleet.statuses().catch(() => []))).toEqual(new Set(['succeeded']))
      expect([...fleet.service.writes.values()].every((times) => times === 1)).toBe(true)
      // Each renews its lease with its next heartbeat. A worker that was declared dead ends instead.
      const living = async () => {
        const rows = await fleet.state.db.rows('SELECT pid FROM audience.workers WHERE expires_at > now()')
        return rows.map((row) => Number(row.pid)).toSorted()
      }
      await expect.poll(living).toEqual(workers.map(({ pid }) => pid).toSorted())
      expect(workers.map(({ pid }) => pid)).toContain(before)
    } finally {
      stopPostgres(postgres.data)
    }
  })

  test.concurrent('a worker that is stopped hands its runs to the others at once', async ({
    expect,
    onTestFinished,
  }) => {
    await using fleet = await startFleet(await newDatabase(onTestFinished), { leaseMs: 60_000 })
    const leaving = await fleet.addWorker()
    fleet.service.hold('r/a')
    await fleet.submit('r')
    await expect.poll(() => fleet.service.writes.get('r/a')).toBe(1)
    await fleet.addWorker()
    leaving.signal('SIGTERM')
    expect(await leaving.ended).toBe(0)
    await expect.poll(fleet.statuses).toEqual(['succeeded'])
    expect(Object.fromEntries(fleet.service.writes)).toEqual({ 'r/a': 1, 'r/b': 1 })
  })
})

async function migrated(cluster: string): Promise<string> {
  await sql(cluster, 'CREATE DATABASE audience')
  await migrateDatabase(`${cluster}/audience`)
  await migrateDbos(`${cluster}/audience`)
  return `${cluster}/audience`
}
