import { expect, test } from 'vitest'
import { createWorkerRows } from '../../../src/state/postgres/worker-rows.ts'
import { describeWithPostgres } from '../../support/postgres.ts'
import { postgresPlace } from '../../support/postgres-place.ts'

describeWithPostgres('a run of a database', () => {
  test('that no process has, or whose worker was buried, is queued for a worker, and nobody has to care for it', async () => {
    const place = postgresPlace()
    const state = await place.open()
    try {
      const workers = createWorkerRows(state.db, 60_000)
      const submission = { file: 'a.yaml', folder: '/', text: '', digest: '', inputs: {}, trigger: {} }
      await state.journal.submit({
        ...{ runId: 'r', at: 1, record: { type: 'run.submitted', pipeline: 'a', ...submission } },
      })
      const have = (executor: string | null) => state.db.query('UPDATE audience.runs SET executor = $1', [executor])
      const look = async () => {
        const { owner, queuedFor } = (await state.runs.find('r')) ?? {}
        return { owner, queuedFor, orphans: await state.runs.orphans() }
      }
      await have(null)
      expect(await look()).toEqual({ queuedFor: 'noWorker', orphans: [] })
      await workers.register({ executor: 'one', host: 'etl-1', pid: 7, version: '1', protocol: 1, queue: 'runs-1' })
      await workers.beat('one', { keeps: true })
      expect(await look()).toEqual({ queuedFor: 'worker', orphans: [] })
      // Neither this worker nor any other takes new runs.
      await state.db.query('UPDATE audience.workers SET draining_since = now()')
      expect(await look()).toEqual({ queuedFor: 'noWorker', orphans: [] })
      await have('one')
      expect(await look()).toEqual({ owner: 'process 7 on etl-1', orphans: [] })
      await workers.expire('one')
      expect(await look()).toEqual({ orphans: ['r'] })
      await workers.bury(async () => undefined)
      expect(await look()).toEqual({ queuedFor: 'noWorker', orphans: [] })
    } finally {
      await state.close()
      await place.remove()
    }
  })
})
