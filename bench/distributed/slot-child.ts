import { setTimeout as sleep } from 'node:timers/promises'
import { pipeline, step } from '../../test/support/pipelines.ts'
import { sql } from '../../test/support/sql.ts'
import { answerParent } from '../support/child.ts'
import { openBenchWorker } from './open-worker.ts'

/** Long enough to notice another run of the group at the same time. */
const WORK_MS = 100

let worker: Awaited<ReturnType<typeof openBenchWorker>> | undefined

answerParent(
  {
    /** A run records that it is active in its group. Two records of a group violate a constraint of the database. */
    async open({ url }: { url: string }) {
      worker = await openBenchWorker(url, async ({ runId }) => {
        const [group = ''] = runId.split('-')
        const enter = `INSERT INTO inside VALUES ('${group}')`
        await sql(url, enter).catch(() => sql(url, `INSERT INTO violations VALUES ('${runId}')`))
        await sleep(WORK_MS)
        await sql(url, `INSERT INTO worked VALUES (${process.pid})`, `DELETE FROM inside WHERE name = '${group}'`)
        return {}
      })
    },
    /** Fires all slots, as each of several schedulers might. */
    async fire({ slots, groups, by }: { slots: number; groups: number; by: number }) {
      const document = pipeline([step('a')])
      const fired = Array.from({ length: slots }, (_, slot) => {
        const name = `g${slot % groups}`
        return worker?.engine.submit({
          runId: `${name}-${slot}-${by}`,
          ...{ pipeline: document, folder: '.', inputs: {}, trigger: {} },
          occurrence: { trigger: 'nightly', key: String(slot).padStart(3, '0'), at: slot },
          groups: [{ name, limit: 1, onConflict: 'queue' }],
        })
      })
      await Promise.all(fired)
    },
  },
  () => worker?.close(),
)
