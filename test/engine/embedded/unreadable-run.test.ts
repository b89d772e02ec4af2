import { expect, test } from 'vitest'
import { InvalidDocumentError } from '../../../src/core/errors.ts'
import type { Pipeline } from '../../../src/core/pipeline.ts'
import { createEngine } from '../../../src/engine/embedded/create-engine.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { pipeline, readTestPipeline, step, testStepTypes } from '../../support/pipelines.ts'
import { tempFolder } from '../../support/temp-folder.ts'

test('a run whose document cannot be read here is told once and left as it is; others are taken up', async () => {
  const { journal } = openEmbeddedState({ folder: tempFolder(), redact: (text) => text, now: Date.now })
  const told: string[] = []
  let now = Date.now()
  const open = (readPipeline: (source: { text: string; file: string }) => Pipeline) => {
    return createEngine({
      journal,
      clock: { now: () => now, steady: () => now, sleep: systemClock.sleep },
      random: Math.random,
      stepTypes: testStepTypes,
      runStep: async () => ({}),
      readPipeline,
      onUnreadable: (runId) => told.push(runId),
      env: {},
    })
  }
  const submission = { file: 'a.yaml', folder: '/', digest: '', inputs: {}, trigger: {} }
  const texts = { bad: 'of another version', good: pipeline([step('a')]).text }
  for (const [runId, text] of Object.entries(texts)) {
    const record = { type: 'run.submitted', pipeline: 'test', ...submission, text } as const
    await journal.submit({ runId, at: now, record })
  }
  await journal.release(['bad', 'good'])

  const older = open((source) => {
    if (source.text === texts.bad) throw new InvalidDocumentError(source.file, source.text, [])
    return readTestPipeline(source)
  })
  older.start()
  await expect.poll(() => journal.find('good')?.status).toBe('succeeded')
  for (let second = 0; second < 5; second += 1) {
    now += 1000
    await systemClock.sleep(300)
  }
  expect(told).toEqual(['bad'])
  expect(journal.records('bad')).toHaveLength(1)
  // Nobody has it.
  expect(journal.orphans()).toEqual(['bad'])
  await older.stop(1000)

  const newer = open(() => pipeline([step('a')]))
  newer.start()
  await expect.poll(() => journal.find('bad')?.status).toBe('succeeded')
  await newer.stop(1000)
  journal.close()
})
