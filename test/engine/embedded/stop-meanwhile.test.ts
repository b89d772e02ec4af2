import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createEngine } from '../../../src/engine/embedded/create-engine.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import type { Journal } from '../../../src/state/journal.ts'
import { memoryJournal } from '../../support/memory-journal.ts'
import { pipeline, readTestPipeline, step, testStepTypes } from '../../support/pipelines.ts'

/** An engine whose journal answers one kind of question when the test says so. */
function heldEngine(name: 'submit' | 'claim') {
  const journal = memoryJournal(new Map())
  const answer = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const told: string[] = []
  const held = async (...values: unknown[]) => {
    asked.resolve()
    await answer.promise
    return (journal[name] as (...all: unknown[]) => Promise<unknown>)(...values)
  }
  const release = async (runIds: readonly string[]) => void told.push(...runIds.map((runId) => `release ${runId}`))
  const engine = createEngine({
    journal: { ...journal, release, [name]: held } as Journal,
    clock: systemClock,
    random: () => 0.5,
    stepTypes: testStepTypes,
    runStep: async (_name, { stepId }) => {
      told.push(stepId)
      return {}
    },
    readPipeline: readTestPipeline,
    env: {},
  })
  const run = { runId: 'r', pipeline: pipeline([step('a')]), inputs: {}, trigger: {}, folder: '/' }
  return { engine, journal, answer, asked: asked.promise, told, run }
}

test('a run that is recorded after the engine stopped is left to the next process', async () => {
  const { engine, answer, told, run } = heldEngine('submit')
  const submitted = engine.submit(run)
  await engine.stop(1000)
  answer.resolve()
  expect(await submitted).toMatchObject({ state: 'running' })
  await turn()
  expect(told).toEqual(['release r'])
})

test('a run that is claimed after the engine stopped is given back', async () => {
  const { engine, journal, answer, asked, told, run } = heldEngine('claim')
  const { pipeline: document, runId, inputs, trigger, folder } = run
  const { file, digest, text } = document
  const record = { type: 'run.submitted', pipeline: 'test', file, folder, digest, text, inputs, trigger } as const
  await journal.submit({ runId, at: 0, record })
  const resumed = engine.resume('r')
  resumed.catch(() => undefined)
  await asked
  const stopped = engine.stop(1000)
  answer.resolve()
  await expect(resumed).rejects.toThrow()
  await stopped
  expect(told).toEqual(['release r'])
})
