import type { Engine, StepContext } from '../../../src/core/engine.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { pipeline, step } from '../../../test/support/pipelines.ts'
import { STEPS, StepTimes, type Subject, times } from '../subject.ts'

export type Work = (context: StepContext) => Promise<JsonObject>

/** The same promise as that of the other engines: a step's result is on disk before the next step begins. */
export const recording: Work = async ({ once }) => ({ value: await once('value', one) })

/** Steps that only keep their outputs. They share a sync with what follows, because losing them does no harm. */
export const plain: Work = async () => ({ value: 1 })

/** An engine of this project as a subject. `open` gets a function to call when a step starts. */
export async function fourSteps(
  open: (stepBegins: () => void) => Promise<{ readonly engine: Engine; close(): Promise<void> }>,
): Promise<Subject> {
  const stepTimes = new StepTimes()
  const { engine, close } = await open(() => stepTimes.stepBegins())
  const document = pipeline(STEPS.map((id, index) => step(id, { needs: index === 0 ? [] : [STEPS[index - 1] ?? ''] })))
  /** As in the daemon: one listener for all runs. */
  const ends = new Map<string, (status: string) => void>()
  engine.watch((event) => {
    if (event.event === 'run.finished') ends.get(event.runId)?.(event.status)
  })
  let submitted = 0
  const runOne = async () => {
    const runId = `run-${++submitted}`
    const end = new Promise<string>((resolve) => ends.set(runId, resolve))
    await engine.submit({ runId, pipeline: document, folder: '.', inputs: {}, trigger: {} })
    const status = await end
    ends.delete(runId)
    if (status !== 'succeeded') throw new Error(`${runId} ${status}`)
  }
  return {
    run: (runs, concurrency) => times(runs, concurrency, runOne),
    async stepMs(runs) {
      stepTimes.gapsMs.length = 0
      for (let run = 0; run < runs; run += 1) {
        stepTimes.runBegins()
        await runOne()
      }
      return [...stepTimes.gapsMs]
    },
    close,
  }
}

const one = async () => 1
