import { join } from 'node:path'
import type { StepContext } from '../../../src/core/engine.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { createEngine } from '../../../src/engine/embedded/create-engine.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { pipeline, readTestPipeline, step, testStepTypes } from '../../../test/support/pipelines.ts'
import { STEPS, StepTimes, type Subject, times } from '../subject.ts'

type Work = (context: StepContext) => Promise<JsonObject>

/** What the others promise: a step's result is on disk before the next step begins. */
export const openRecording = (folder: string) => open(folder, async ({ once }) => ({ value: await once('value', one) }))

/** Steps whose outputs alone are kept: they share a sync with what follows, as nothing is lost with them. */
export const openPlain = (folder: string) => open(folder, async () => ({ value: 1 }))

async function open(folder: string, work: Work): Promise<Subject> {
  const { journal } = openEmbeddedState({ folder: join(folder, 'state'), redact: (text) => text, now: Date.now })
  const stepTimes = new StepTimes()
  const engine = createEngine({
    journal,
    clock: systemClock,
    random: Math.random,
    stepTypes: testStepTypes,
    runStep(_name, context) {
      stepTimes.stepBegins()
      return work(context)
    },
    readPipeline: readTestPipeline,
    env: {},
  })
  const document = pipeline(STEPS.map((id, index) => step(id, { needs: index === 0 ? [] : [STEPS[index - 1] ?? ''] })))
  /** As the daemon does: one ear for all runs. */
  const ends = new Map<string, (status: string) => void>()
  engine.watch((event) => {
    if (event.event === 'run.finished') ends.get(event.runId)?.(event.status)
  })
  let submitted = 0
  const runOne = async () => {
    const runId = `run-${++submitted}`
    const end = new Promise<string>((resolve) => ends.set(runId, resolve))
    await engine.submit({ runId, pipeline: document, folder, inputs: {}, trigger: {} })
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
    async close() {
      await engine.stop(1000)
      journal.close()
    },
  }
}

const one = async () => 1
