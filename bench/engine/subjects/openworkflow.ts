import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { OpenWorkflow, type Worker } from 'openworkflow'
import { BackendSqlite } from 'openworkflow/sqlite'
import { STEPS, StepTimes, type Subject, times } from '../subject.ts'

/** All runs exist before the measurement, so the time in which its worker finds nothing to do does not count. */
export async function openOpenWorkflow(folder: string): Promise<Subject> {
  const backend = BackendSqlite.connect(join(folder, 'openworkflow.db'))
  const client = new OpenWorkflow({ backend })
  const stepTimes = new StepTimes()
  let ended = () => {}
  const workflow = client.defineWorkflow({ name: 'four' }, async ({ step }) => {
    let sum = 0
    for (const name of STEPS) {
      sum += await step.run({ name }, async () => {
        stepTimes.stepBegins()
        return 1
      })
    }
    ended()
    return sum
  })
  let worker: { readonly concurrency: number; readonly worker: Worker } | undefined

  /** OpenWorkflow's own function polls for a result once a second, so this code watches directly for runs to end. */
  async function run(runs: number, concurrency: number): Promise<void> {
    if (worker?.concurrency !== concurrency) {
      await worker?.worker.stop()
      worker = { concurrency, worker: client.newWorker({ concurrency }) }
      await worker.worker.start()
    }
    let open = 0
    let room = Promise.withResolvers<void>()
    ended = () => {
      open -= 1
      room.resolve()
    }
    const ids: string[] = []
    while (ids.length < runs) {
      // Twice as many as it executes at a time, so that it always finds one.
      while (open < 2 * concurrency && ids.length < runs) {
        const { workflowRun } = (await workflow.run()) as unknown as { workflowRun: { id: string } }
        ids.push(workflowRun.id)
        open += 1
      }
      room = Promise.withResolvers()
      await room.promise
    }
    for (const workflowRunId of ids.slice(-4 * concurrency)) {
      while ((await backend.getWorkflowRun({ workflowRunId }))?.status !== 'completed') await sleep(2)
    }
  }

  return {
    run,
    async stepMs(runs) {
      stepTimes.gapsMs.length = 0
      await times(runs, 1, async () => {
        stepTimes.runBegins()
        await run(1, 1)
      })
      return [...stepTimes.gapsMs]
    },
    async close() {
      await worker?.worker.stop()
      await backend.stop()
    },
  }
}
