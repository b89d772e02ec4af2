import { expect, test } from 'vitest'
import { connect } from '../../../src/state/postgres/connect.ts'
import { openPostgresState } from '../../../src/state/postgres/open-postgres-state.ts'
import { aroundAt } from '../../support/around.ts'
import { describeWithPostgres, newDatabase } from '../../support/postgres.ts'
import { sql } from '../../support/sql.ts'

const HOUR_MS = 3_600_000
const NOW = 1000 * HOUR_MS

describeWithPostgres('the counts of several workers', () => {
  test('read as one, before and after they are merged; a worker that counts is not waited for', async () => {
    const url = await newDatabase()
    await sql(
      url,
      `INSERT INTO audience.workers VALUES ('living', 'h', 1, '0', '1', now(), now() + interval '1 day')`,
      `INSERT INTO audience.run_hours (hour, pipeline, status, executor, runs) VALUES
        (900, '', 'failed', '', 1), (900, '', 'failed', 'dead', 2), (900, '', 'failed', 'living', 4),
        (900, '', 'succeeded', 'dead', 8), (999, '', 'failed', 'dead', 16), (999, '', 'failed', 'living', 32),
        (998, '', 'failed', 'busy', 64)`,
    )
    const { runs, db, close } = await openPostgresState({ url, redact: (text) => text, ...aroundAt(() => NOW) })
    const counts = async () =>
      (await runs.countsByHour({ from: 0, to: NOW })).map(
        ({ at, failed, succeeded }) => `${at / HOUR_MS} ${failed} failed ${succeeded} succeeded`,
      )
    const rows = async () =>
      (await db.rows('SELECT hour, executor, runs FROM audience.run_hours ORDER BY hour, status, executor')).map(
        ({ hour, executor, runs: count }) => `${hour} ${executor} ${count}`,
      )
    const expected = ['900 7 failed 8 succeeded', '998 64 failed 0 succeeded', '999 48 failed 0 succeeded']
    expect(await counts()).toEqual(expected)
    const busy = await connect(url)
    await busy.query('BEGIN')
    await busy.query('UPDATE audience.run_hours SET runs = runs + 1 WHERE hour = 998')
    expect(await runs.pack(1000)).toBe(false)
    await busy.query('ROLLBACK')
    await busy.end()
    expect(await rows()).toEqual(['900  7', '900  8', '998 busy 64', '999  16', '999 living 32'])
    expect(await counts()).toEqual(expected)
    await close()
  })
})
