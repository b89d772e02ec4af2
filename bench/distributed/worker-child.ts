import { setTimeout as sleep } from 'node:timers/promises'
import { pipeline, step } from '../../test/support/pipelines.ts'
import { times } from '../engine/subject.ts'
import { answerParent } from '../support/child.ts'
import { openBenchWorker } from './open-worker.ts'
import type { startWorkerChild } from './start-worker-child.ts'

/** The default of `audience start`. */
const MAX_RUNS = 100
/** As many as a worker has connections: more would only wait for one of them. */
const SUBMITTED_AT_ONCE = 10

const released = Promise.withResolvers<void>()
let worker: Awaited<ReturnType<typeof openBenchWorker>> | undefined

function opened() {
  if (!worker) throw new Error('the worker is not open yet')
  return worker
}

answerParent(
  {
    /** Each step waits for a job that takes this long; with `held`, the job ends only after `release`. */
    async open({ url, jobMs, held, protocol }: Parameters<typeof startWorkerChild>[0]) {
      const job = async () => {
        if (held) await released.promise
        await sleep(jobMs)
        return {}
      }
      worker = await openBenchWorker(url, ({ wait }) => wait('job', job), {
        maxRuns: MAX_RUNS,
        ...(protocol !== undefined && { protocol }),
      })
      const { executor } = (await worker.engine.workers()).find(({ pid }) => pid === process.pid) ?? {}
      return { pid: process.pid, executor }
    },
    release: () => released.resolve(),
    /** The number of steps of each run; they run one after the other. */
    async submit({ from, count, steps = 1 }: { from: number; count: number; steps?: number }) {
      const document = pipeline(
        Array.from({ length: steps }, (_, index) => step(`s${index}`, { needs: index === 0 ? [] : [`s${index - 1}`] })),
      )
      await times(count, SUBMITTED_AT_ONCE, (index) =>
        opened().engine.submit({
          runId: `run-${String(from + index).padStart(9, '0')}`,
          ...{ pipeline: document, folder: '.', inputs: {}, trigger: {} },
        }),
      )
    },
  },
  () => worker?.close(),
)
