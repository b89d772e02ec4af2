import { expect, test } from 'vitest'
import type { RunRecord } from '../../src/core/run.ts'
import { outOfTimeAt } from '../../src/runs/deadline.ts'
import { pipeline, step } from '../support/pipelines.ts'
import { factsOf } from '../support/run-facts.ts'

const attempt = (number: number): RunRecord => ({ type: 'step.started', step: 'a', attempt: number })
const admitted: RunRecord = { type: 'run.admitted' }

/** The run is submitted at 0, and each record comes a second later; the decision is at 30,000. */
test.each<
  [says: string, limits: { step?: number; run?: number }, records: readonly RunRecord[], expected: object | undefined]
>([
  ['no limit', {}, [attempt(1)], undefined],
  ['of the attempt', { step: 5000 }, [attempt(1)], { at: 6000, what: 'step "a"' }],
  [
    'of the second attempt, from its own start',
    { step: 5000 },
    [attempt(1), attempt(2)],
    { at: 7000, what: 'step "a"' },
  ],
  ['of an attempt that is about to begin', { step: 5000 }, [], { at: 35_000, what: 'step "a"' }],
  ['of the run', { run: 5000 }, [attempt(1)], { at: 5000, what: 'the run' }],
  [
    'of the run, not counting its time in a queue',
    { run: 5000 },
    [admitted, attempt(1)],
    { at: 6000, what: 'the run' },
  ],
  ['of the run where that is earlier', { step: 5000, run: 5000 }, [attempt(1)], { at: 5000, what: 'the run' }],
  ['of the step where that is earlier', { step: 1000, run: 5000 }, [attempt(1)], { at: 2000, what: 'step "a"' }],
])('the end of the time: %s', (_says, limits, records, expected) => {
  const a = step('a', limits.step === undefined ? {} : { timeoutMs: limits.step })
  const document = pipeline([a], limits.run === undefined ? {} : { timeoutMs: limits.run })
  expect(outOfTimeAt(factsOf(document, records), { step: a, ref: { step: 'a' } }, 30_000)).toEqual(expected)
})

test('the attempts of a forEach have each their own time', () => {
  const a = step('a', { timeoutMs: 5000 })
  const facts = factsOf(
    pipeline([a]),
    [0, 1].map((index) => ({ type: 'step.started', step: 'a', index, attempt: 1 })),
  )
  expect([0, 1].map((index) => outOfTimeAt(facts, { step: a, ref: { step: 'a', index } }, 0))).toEqual([
    { at: 6000, what: 'step "a[0]"' },
    { at: 7000, what: 'step "a[1]"' },
  ])
})
