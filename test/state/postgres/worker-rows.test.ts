import { expect, test } from 'vitest'
import { createWorkerRows } from '../../../src/state/postgres/worker-rows.ts'
import { describeWithPostgres } from '../../support/postgres.ts'
import { postgresPlace } from '../../support/postgres-place.ts'

describeWithPostgres('the processes of a database', () => {
  test('are listed with the runs that each works on: neither those that wait nor those that have ended', async () => {
    const place = postgresPlace()
    const { db, journal, close } = await place.open()
    try {
      const workers = createWorkerRows(db, 60_000)
      await workers.register({ executor: 'one', host: 'etl-1', pid: 7, version: '1', protocol: 1, queue: 'runs-1' })
      const submission = { pipeline: 'a', file: 'a.yaml', folder: '/', text: '', digest: '', inputs: {}, trigger: {} }
      for (const runId of ['active', 'begun', 'ended', 'queued', 'elsewhere'])
        await journal.submit({ runId, at: 1, record: { type: 'run.submitted', ...submission } })
      await journal.append('ended', [{ seq: 1, at: 2, record: { type: 'run.finished', status: 'succeeded' } }])
      await db.query("UPDATE audience.runs SET executor = 'one' WHERE run_id <> 'elsewhere'")
      await db.query("UPDATE audience.runs SET status = 'queued' WHERE run_id = 'queued'")
      const [one] = (await workers.list()).filter(({ executor }) => executor === 'one')
      expect(one).toMatchObject({ runs: 2, keeper: false, queue: 'runs-1' })
    } finally {
      await close()
      await place.remove()
    }
  })
})
