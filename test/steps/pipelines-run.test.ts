import { expect, onTestFinished, test } from 'vitest'
import { createEngine } from '../../src/engine/embedded/create-engine.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { openEmbeddedState } from '../../src/state/sqlite/open-embedded-state.ts'
import type { StepServices } from '../../src/steps/define-step.ts'
import { pipelinesRun } from '../../src/steps/pipelines-run.ts'
import { around } from '../support/around.ts'
import { pipeline, readTestPipeline, step, template } from '../support/pipelines.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('an attempt that is out of time is followed by one that waits for the same run: the other one goes on meanwhile', async () => {
  const { journal } = openEmbeddedState({ folder: tempFolder(), redact: (text) => text, ...around })
  const started: string[] = []
  let waits = 0
  const childRuns: StepServices['childRuns'] = {
    submit: async ({ stepKey, attempt }) => {
      started.push(`${stepKey}#${attempt}`)
      return 'child'
    },
    end: async (_runId, signal) => {
      waits += 1
      if (waits === 1) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      return { status: 'succeeded', outputs: {} }
    },
    cancelAll: async () => undefined,
  }
  const engine = createEngine({
    journal,
    clock: systemClock,
    random: () => 0,
    stepTypes: new Map([['pipelines.run', pipelinesRun]]),
    runStep: (_name, context, request) =>
      pipelinesRun.run({ ...request, context, services: { childRuns } as StepServices }),
    readPipeline: readTestPipeline,
    env: {},
  })
  onTestFinished(async () => {
    await engine.stop(1000)
    journal.close()
  })
  const retry = { maxAttempts: 2, delayMs: 1, backoff: 1, maxDelayMs: 1, on: ['timeout'] } as const
  const call = step('call', { uses: 'pipelines.run', with: template({ file: '/child.yaml' }), timeoutMs: 300, retry })
  await engine.submit({ runId: 'r', pipeline: pipeline([call]), inputs: {}, trigger: {}, folder: '/' })
  const events = await Array.fromAsync(engine.events('r'))
  expect(events.at(-1)).toMatchObject({ event: 'run.finished', status: 'succeeded' })
  expect(started).toEqual(['call#1'])
  expect(waits).toBe(2)
})
