import { setTimeout as sleep } from 'node:timers/promises'
import { pipeline, step } from '../../test/support/pipelines.ts'
import { times } from '../engine/subject.ts'
import { answerParent } from '../support/child.ts'
import { openBenchWorker } from './open-worker.ts'

/** As many as `audience start` works on, unless told otherwise. */
const MAX_RUNS = 100
const SUBMITTED_AT_ONCE = 50

let worker: Awaited<ReturnType<typeof openBenchWorker>> | undefined

function opened() {
  if (!worker) throw new Error('the worker is not open yet')
  return worker
}

answerParent(
  {
    async open({ url, jobMs }: { url: string; jobMs: number }) {
      worker = await openBenchWorker(url, ({ wait }) => wait('job', () => sleep(jobMs).then(() => ({}))), {
        maxRuns: MAX_RUNS,
      })
      const { executor } = (await worker.engine.workers()).find(({ pid }) => pid === process.pid) ?? {}
      return { pid: process.pid, executor }
    },
    async submit({ from, count }: { from: number; count: number }) {
      const document = pipeline([step('a')])
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
