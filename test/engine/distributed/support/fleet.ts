import type { RunRequest } from '../../../../src/core/engine.ts'
import { LOCAL_PROFILE } from '../../../../src/core/service-ref.ts'
import { openSubmitter } from '../../../../src/engine/distributed/open-submitter.ts'
import { systemClock } from '../../../../src/platform/clock.ts'
import { openPostgresState } from '../../../../src/state/postgres/open-postgres-state.ts'
import { around } from '../../../support/around.ts'
import { pipeline, step } from '../../../support/pipelines.ts'
import { startWorker } from './start-worker.ts'
import { startWriteCounter } from './write-counter.ts'

const TWO_WRITES = pipeline([step('a'), step('b', { needs: ['a'] })])

/** Worker processes on one database, a service that counts their writes, and runs for them. All end with the test. */
export async function startFleet(url: string, { leaseMs }: { readonly leaseMs: number }) {
  const service = await startWriteCounter()
  const state = await openPostgresState({ url, redact: (text) => text, ...around })
  const submitter = await openSubmitter({ state, url, here: { profile: LOCAL_PROFILE }, clock: systemClock, env: {} })
  const workers: Awaited<ReturnType<typeof startWorker>>[] = []
  return {
    state,
    service,
    async addWorker() {
      const worker = await startWorker({ url, service: service.url, leaseMs })
      workers.push(worker)
      return worker
    },
    /** Submits a run. By default, it has two steps that write one after the other. */
    submit: (runId: string, own: Partial<RunRequest> = {}) =>
      submitter.submit({ runId, pipeline: TWO_WRITES, inputs: {}, trigger: {}, folder: '/', ...own }),
    async statuses() {
      const { rows } = await state.runs.page({ limit: 1000 })
      return rows.map(({ status }) => status)
    },
    /** The pid of the process that has a run. */
    async pidOf(runId: string) {
      const row = await state.db.row(
        'SELECT pid FROM audience.runs JOIN audience.workers USING (executor) WHERE run_id = $1',
        [runId],
      )
      return row && Number(row.pid)
    },
    async [Symbol.asyncDispose]() {
      for (const worker of workers) await worker[Symbol.asyncDispose]()
      await submitter.close()
      await state.close()
      await service.close()
    },
  }
}
