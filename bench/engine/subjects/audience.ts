import { join } from 'node:path'
import { createEngine } from '../../../src/engine/embedded/create-engine.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { around } from '../../../test/support/around.ts'
import { readTestPipeline, testStepTypes } from '../../../test/support/pipelines.ts'
import { redactThree } from '../../support/redact-three.ts'
import type { Subject } from '../subject.ts'
import { fourSteps, plain, recording, type Work } from './four-steps.ts'

export const openRecording = (folder: string) => open(folder, recording)

export const openPlain = (folder: string) => open(folder, plain)

function open(folder: string, work: Work): Promise<Subject> {
  return fourSteps(async (stepBegins) => {
    const { journal } = openEmbeddedState({ folder: join(folder, 'state'), redact: redactThree(), ...around })
    const engine = createEngine({
      journal,
      clock: systemClock,
      random: Math.random,
      stepTypes: testStepTypes,
      runStep(_name, context) {
        stepBegins()
        return work(context)
      },
      readPipeline: readTestPipeline,
      env: {},
    })
    return {
      engine,
      async close() {
        await engine.stop(1000)
        journal.close()
      },
    }
  })
}
