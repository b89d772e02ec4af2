import { expect, onTestFinished, test } from 'vitest'
import { isStateAway } from '../../src/core/is-state-away.ts'
import { migrateDbos } from '../../src/engine/distributed/dbos.ts'
import { migrateDatabase } from '../../src/state/postgres/migrate-database.ts'
import { startFleet } from '../engine/distributed/support/fleet.ts'
import { describeWithPostgres } from '../support/postgres.ts'
import { sql, sqlRows } from '../support/sql.ts'
import { promotePostgres, startPostgres, startStandby, stopPostgres } from '../support/start-postgres.ts'
import { switchingProxy } from '../support/switching-proxy.ts'

const LEASE_MS = 3000

describeWithPostgres('a switchover of PostgreSQL', () => {
  test('workers let go of the former primary, which stays up: none ends, nothing is lost or done twice', async () => {
    const former = await startPostgres({ fsync: 'off' })
    onTestFinished(() => stopPostgres(former.data, 'immediate'))
    await sql(former.url, 'CREATE DATABASE runs')
    await migrateDatabase(`${former.url}/runs`)
    await migrateDbos(`${former.url}/runs`)
    const next = await startStandby(former)
    onTestFinished(() => stopPostgres(next.data, 'immediate'))
    await sql(former.url, "ALTER SYSTEM SET synchronous_standby_names = '*'", 'SELECT pg_reload_conf()')

    const [formerPort, nextPort] = [former, next].map(({ url }) => Number(new URL(url).port)) as [number, number]
    const proxy = await switchingProxy(formerPort)
    onTestFinished(() => proxy.close())
    await using fleet = await startFleet(`postgresql://bench@127.0.0.1:${proxy.port}/runs`, { leaseMs: LEASE_MS })
    const workers = [await fleet.addWorker(), await fleet.addWorker(), await fleet.addWorker()]
    const ended: unknown[] = []
    for (const worker of workers) void worker.ended.then((how) => ended.push(how))

    // Some runs have sent their writes, and get the answers after the switch.
    const held = Array.from({ length: 10 }, (_, at) => `held${at}`)
    const answers = held.map((runId) => fleet.service.hold(`${runId}/a`))
    for (const runId of held) await fleet.submit(runId)
    await expect.poll(() => held.every((runId) => fleet.service.writes.has(`${runId}/a`))).toBe(true)
    // Others start at any time. A submission that fails may have been recorded.
    const accepted = [...held]
    const refused: unknown[] = []
    const load = { isOn: true }
    const submitting = (async () => {
      for (let at = 0; load.isOn; at += 1) {
        const runId = `run${at}`
        await fleet.submit(runId).then(
          () => accepted.push(runId),
          (error: unknown) => refused.push(error),
        )
      }
    })()
    const before = accepted.length
    await expect.poll(() => accepted.length).toBeGreaterThan(before + 20)

    // Like a controlled switchover: fences the primary, waits until the standby has everything, and promotes it.
    await sql(former.url, 'ALTER SYSTEM SET default_transaction_read_only = on', 'SELECT pg_reload_conf()')
    const behind = `
      SELECT 1 FROM pg_stat_activity WHERE backend_xid IS NOT NULL
      UNION ALL SELECT 1 FROM pg_stat_replication WHERE replay_lsn < pg_current_wal_lsn()`
    await expect.poll(() => sqlRows(former.url, behind)).toEqual([])
    promotePostgres(next)
    proxy.leadTo(nextPort)
    for (const answer of answers) answer()

    await expect.poll(() => proxy.leadingTo(formerPort)).toBe(0)
    const then = accepted.length
    await expect.poll(() => accepted.length).toBeGreaterThan(then + 20)
    load.isOn = false
    await submitting
    const runs = () => sqlRows(`${next.url}/runs`, 'SELECT run_id, status FROM audience.runs')
    await expect.poll(async () => (await runs()).filter(({ status }) => status !== 'succeeded')).toEqual([])
    expect(refused.filter((error) => !isStateAway(error))).toEqual([])
    const made = (await runs()).map(({ run_id }) => String(run_id))
    expect(made).toEqual(expect.arrayContaining(accepted))
    const places = made.flatMap((runId) => [`${runId}/a`, `${runId}/b`])
    expect(Object.fromEntries(fleet.service.writes)).toEqual(Object.fromEntries(places.map((place) => [place, 1])))
    expect(ended).toEqual([])
    expect(proxy.leadingTo(formerPort)).toBe(0)
  })
})
