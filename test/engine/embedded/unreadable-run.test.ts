import { join } from 'node:path'
import { expect, test } from 'vitest'
import { InvalidDocumentError } from '../../../src/core/errors.ts'
import type { Pipeline } from '../../../src/core/pipeline.ts'
import { createEngine } from '../../../src/engine/embedded/create-engine.ts'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { around } from '../../support/around.ts'
import { damageRecord } from '../../support/damage-record.ts'
import { pipeline, readTestPipeline, step, testStepTypes } from '../../support/pipelines.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { turnClock } from '../../support/turn-clock.ts'

test('a run whose document cannot be read here is told once and left as it is; others are taken up', async () => {
  const { journal } = openEmbeddedState({ folder: tempFolder(), redact: (text) => text, ...around })
  const told: string[] = []
  const open = (readPipeline: (source: { text: string; file: string }) => Pipeline) => {
    return createEngine({
      journal,
      clock: turnClock,
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
    await journal.submit({ runId, at: turnClock.now(), record })
  }
  await journal.release(['bad', 'good'])

  const older = open((source) => {
    if (source.text === texts.bad) throw new InvalidDocumentError(source.file, source.text, [])
    return readTestPipeline(source)
  })
  older.start()
  await expect.poll(() => journal.find('good')?.status).toBe('succeeded')
  // It checks the other runs every second.
  await turnClock.sleep(10_000)
  expect(told).toEqual(['bad'])
  expect(journal.records('bad')).toHaveLength(1)
  // Nobody owns the run.
  expect(journal.orphans()).toEqual(['bad'])
  await older.stop(1000)

  const newer = open(() => pipeline([step('a')]))
  newer.start()
  await expect.poll(() => journal.find('bad')?.status).toBe('succeeded')
  await newer.stop(1000)
  journal.close()
})

/** Three runs without an owner, an engine on them, and its messages about runs that it cannot read. */
async function threeRuns() {
  const folder = tempFolder()
  const { journal } = openEmbeddedState({ folder, redact: (text) => text, ...around })
  const { text } = pipeline([step('a')])
  const about = { pipeline: 'test', file: 'a.yaml', folder: '/', digest: '', inputs: {}, trigger: {}, text }
  const runIds = ['one', 'two', 'three']
  for (const [at, runId] of runIds.entries())
    await journal.submit({ runId, at, record: { type: 'run.submitted', ...about } })
  await journal.release(runIds)
  const told: unknown[] = []
  const start = (over: Partial<typeof journal> = {}) => {
    const engine = createEngine({
      journal: { ...journal, ...over },
      clock: turnClock,
      random: Math.random,
      stepTypes: testStepTypes,
      runStep: async () => ({}),
      readPipeline: readTestPipeline,
      onUnreadable: (runId, error) => told.push([runId, (error as { code?: string }).code]),
      env: {},
    })
    engine.start()
    return engine
  }
  return { file: join(folder, 'runs.db'), journal, runIds, told, start }
}

test('a run with a damaged record is reported once and not changed; other runs are taken over', async () => {
  const { file, journal, told, start } = await threeRuns()
  damageRecord(file, 'two', 0)
  const engine = start()
  await expect
    .poll(() => [journal.find('one')?.status, journal.find('three')?.status])
    .toEqual(['succeeded', 'succeeded'])
  await expect.poll(() => told).toEqual([['two', 'state-damaged']])
  expect(journal.orphans()).toEqual(['two'])
  await engine.stop(1000)
  journal.close()
})

test('runs that were claimed, and whose messages could not be read, are free again, and taken up later', async () => {
  const { journal, runIds, told, start } = await threeRuns()
  let isBroken = true
  const free: (readonly string[])[] = []
  const engine = start({
    messages() {
      // The first look reads messages before it claims anything.
      if (!isBroken || journal.held().length === 0) return journal.messages()
      throw new Error('the messages cannot be read')
    },
    async release(claimed) {
      await journal.release(claimed)
      free.push(journal.orphans())
      isBroken = false
    },
  })
  await expect
    .poll(() => runIds.map((runId) => journal.find(runId)?.status))
    .toEqual(['succeeded', 'succeeded', 'succeeded'])
  expect({ free, told }).toEqual({ free: [runIds], told: [] })
  await engine.stop(1000)
  journal.close()
})
