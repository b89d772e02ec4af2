import { expect, test } from 'vitest'
import type { RunRecord, StoredRecord } from '../../src/core/run.ts'
import type { RunEvent } from '../../src/core/run-event.ts'
import type { Live } from '../../src/engine/engine-deps.ts'
import { followEvents } from '../../src/engine/follow-events.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { pipeline, readTestPipeline, step, testStepTypes } from '../support/pipelines.ts'

const document = pipeline([step('a')])
const submitted = {
  type: 'run.submitted',
  pipeline: 'test',
  file: 'a.yaml',
  folder: '/',
  digest: '',
  text: document.text,
} as const
const RECORDS: readonly StoredRecord[] = [
  { ...submitted, inputs: {}, trigger: {} } satisfies RunRecord,
  { type: 'step.started', step: 'a', attempt: 1, input: {} } as RunRecord,
  { type: 'step.finished', step: 'a', attempt: 1, status: 'succeeded', output: {} } as RunRecord,
  { type: 'run.finished', status: 'succeeded' } satisfies RunRecord,
].map((record, seq) => ({ seq, at: seq, record }))

test('what a resumed run records is told once, also if the store shows it before the run tells of it', async () => {
  const listeners = new Set<(event: RunEvent) => void>()
  const end = Promise.withResolvers<void>()
  const run = {
    ...{ firstSeq: 2, emitted: [], stopped: {}, facts: { pipeline: document } },
    listen(listener: (event: RunEvent) => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const following = followEvents(
    'r',
    () => ({ run, end: end.promise }) as unknown as Live,
    {
      store: { records: (_runId, after = -1) => RECORDS.filter(({ seq }) => seq > after) },
      ...{ clock: systemClock, readPipeline: readTestPipeline, stepTypes: testStepTypes },
    },
    new AbortController().signal,
  )
  const seen = [(await following.next()).value?.event]
  for (const event of ['step.finished', 'run.finished'])
    for (const listener of listeners) listener({ event } as RunEvent)
  end.resolve()
  for await (const { event } of following) seen.push(event)
  expect(seen).toEqual(['run.started', 'step.started', 'step.finished', 'run.finished'])
  expect(listeners.size).toBe(0)
})
