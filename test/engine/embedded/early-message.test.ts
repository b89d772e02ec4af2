import { expect, test } from 'vitest'
import { createEngine } from '../../../src/engine/embedded/create-engine.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import type { Journal } from '../../../src/state/journal.ts'
import type { SentMessage } from '../../../src/state/run-history.ts'
import { memoryJournal } from '../../support/memory-journal.ts'
import { pipeline, readTestPipeline, step, testStepTypes } from '../../support/pipelines.ts'

test('a message for a run that this process owns and does not work on yet is kept until it does', async () => {
  let messages: readonly SentMessage[] = [{ id: 1, runId: 'r', message: { kind: 'cancel' } }]
  const inMemory = memoryJournal(new Map())
  const journal = {
    ...inMemory,
    held: () => ['r'],
    find: () => ({ status: 'running' }),
    messages: () => messages,
    async acknowledge(id: number) {
      messages = messages.filter((one) => one.id !== id)
    },
  } as unknown as Journal
  const document = pipeline([step('a')])
  const { file, digest, text } = document
  const record = {
    type: 'run.submitted',
    pipeline: 'test',
    file,
    folder: '/',
    digest,
    text,
    inputs: {},
    trigger: {},
  } as const
  await journal.submit({ runId: 'r', at: 0, record })
  const engine = createEngine({
    ...{
      journal,
      clock: systemClock,
      random: () => 0.5,
      stepTypes: testStepTypes,
      readPipeline: readTestPipeline,
      env: {},
    },
    runStep: async () => ({}),
  })
  const ended = Promise.withResolvers<string>()
  engine.watch((event) => {
    if (event.event === 'run.finished') ended.resolve(event.status)
  })
  engine.start()
  expect(await ended.promise).toBe('cancelled')
  await engine.stop(1000)
})
