import { expect, test } from 'vitest'
import type { RunRecord } from '../../src/core/run.ts'
import { foldRecords } from '../../src/runs/run-state.ts'
import { pipeline, step } from '../support/pipelines.ts'
import { recordsOf } from '../support/run-facts.ts'

const document = pipeline([step('a')])
const fold = (...records: readonly RunRecord[]) => foldRecords(recordsOf(document, records))

const error = { code: 'x', kind: 'failed', message: 'x' } as const
const attempt = (number: number): RunRecord => ({ type: 'step.started', step: 'a', attempt: number })
const effect = (name: string): RunRecord => ({ type: 'effect.done', step: 'a', attempt: 1, name, value: name })
const failed = (own: { keepsEffects?: true } = {}): RunRecord => ({
  ...{ type: 'attempt.failed', step: 'a', attempt: 1, error, retryAt: 9000 },
  ...own,
})
const waiting: RunRecord = { type: 'step.waiting', step: 'a', reason: 'decision', error }

/** The fields of `found` that `expected` names; absent ones are undefined. */
function picked(found: object | undefined, expected: object): object {
  return Object.fromEntries(Object.keys(expected).map((key) => [key, found?.[key as never]]))
}

/** There is one record per second, the first at 1000. */
test.each<{ after: string; records: readonly RunRecord[]; step: object; effects?: readonly string[] }>([
  { after: 'an attempt began', records: [attempt(1)], step: { startedAt: 1000, attempt: 1, attemptAt: 1000 } },
  { after: 'an effect', records: [attempt(1), effect('answer')], step: { attempt: 1 }, effects: ['answer'] },
  {
    after: 'an attempt failed',
    records: [attempt(1), effect('answer'), failed()],
    step: { retryAt: 9000 },
    effects: ['answer'],
  },
  {
    after: 'the next attempt',
    records: [attempt(1), effect('answer'), failed(), attempt(2)],
    step: { startedAt: 1000, attempt: 2, attemptAt: 4000, retryAt: undefined },
    effects: [],
  },
  {
    after: 'the next attempt of a write that may have happened',
    records: [attempt(1), effect('intent'), failed({ keepsEffects: true }), attempt(2)],
    step: { attempt: 2, keepsEffects: undefined },
    effects: ['intent'],
  },
  {
    after: 'one more attempt, which is fresh',
    records: [attempt(1), effect('intent'), failed({ keepsEffects: true }), attempt(2), failed(), attempt(3)],
    step: { attempt: 3 },
    effects: [],
  },
  { after: 'a wait for a person', records: [attempt(1), waiting], step: { waiting: 'decision' } },
  {
    after: 'a decision',
    records: [attempt(1), waiting, { type: 'decision.made', step: 'a', decision: 'done' }],
    step: { waiting: undefined, decision: 'done' },
  },
  {
    after: 'the attempt after a decision',
    records: [attempt(1), waiting, { type: 'decision.made', step: 'a', decision: 'again' }, attempt(2)],
    step: { decision: undefined, attempt: 2 },
  },
  {
    after: 'its end',
    records: [attempt(1), { type: 'step.finished', step: 'a', status: 'failed', error }],
    step: { settled: { status: 'failed', at: 2000, error } },
  },
  {
    after: 'an end in an earlier run',
    records: [{ type: 'step.finished', step: 'a', status: 'succeeded', outputs: 1, keptFrom: 'r0' }],
    step: { settled: { status: 'succeeded', at: 1000, outputs: 1, keptFrom: 'r0' } },
  },
  {
    after: 'its items were counted',
    records: [{ type: 'step.expanded', step: 'a', items: [1, 2] }],
    step: { items: [1, 2], attempt: 0 },
  },
  {
    after: 'news of a job',
    records: [attempt(1), { type: 'job.status', step: 'a', jobId: '7', status: 'RUNNING', waitedMs: 5 }],
    step: { attempt: 1, settled: undefined },
  },
])('a step after $after', ({ records, step: expected, effects }) => {
  const found = fold(...records).steps.get('a')
  expect(picked(found, expected)).toEqual(expected)
  if (effects) expect([...found!.effects.keys()]).toEqual(effects)
})

test('an item of a forEach is a step of its own', () => {
  const { steps } = fold({ type: 'step.started', step: 'a', index: 3, attempt: 1 })
  expect([...steps.keys()]).toEqual(['a[3]'])
})

test('a run begins when it is submitted, or when it is let in', () => {
  expect(fold()).toMatchObject({ submittedAt: 0, startedAt: 0 })
  expect(fold({ type: 'run.admitted' })).toMatchObject({ submittedAt: 0, startedAt: 1000 })
})

test.each<[string, readonly RunRecord[], object]>([
  ['it does not know `last` before it begins', [], { last: undefined }],
  ['there was no last run', [{ type: 'last.noted' }], { last: 'none' }],
  ['there was one', [{ type: 'last.noted', last: { runId: 'l', steps: {} } }], { last: { runId: 'l', steps: {} } }],
  ['its variables are computed', [{ type: 'variables.set', variables: { a: 1 } }], { variables: { a: 1 } }],
  ['it is to be cancelled', [{ type: 'cancel.requested' }], { cancelRequested: true }],
  ['it has ended', [{ type: 'run.finished', status: 'failed' }], { finished: { status: 'failed', at: 1000 } }],
])('of a run: %s', (_says, records, expected) => {
  expect(picked(fold(...records), expected)).toEqual(expected)
})

test.each<[string, readonly RunRecord[], number]>([
  ['two questions', [], 2],
  ['the first decision', [{ type: 'decision.made', step: 'a', decision: 'done' }], 1],
  ['the end of a step that waited', [{ type: 'step.finished', step: 'b', status: 'failed' }], 1],
  [
    'the end of a step that was decided',
    [
      { type: 'decision.made', step: 'a', decision: 'done' },
      { type: 'step.finished', step: 'a', status: 'succeeded' },
    ],
    1,
  ],
  [
    'both',
    [
      { type: 'decision.made', step: 'a', decision: 'done' },
      { type: 'step.finished', step: 'b', status: 'cancelled' },
    ],
    0,
  ],
])('how many steps wait for a person after %s', (_after, records, expected) => {
  expect(fold(waiting, { ...waiting, step: 'b' }, ...records).waiting).toBe(expected)
})

test('a run without its submission is no run', () => {
  expect(() => foldRecords([])).toThrow('do not begin with its submission')
  expect(() => foldRecords(recordsOf(document, [attempt(1)]).slice(1))).toThrow('do not begin with its submission')
})
