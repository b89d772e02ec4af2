import { expect, test } from 'vitest'
import { CHILD_RUN } from '../../src/core/engine.ts'
import type { KeptExecution, RunRecord } from '../../src/core/run.ts'
import { foldRecords, stepKey } from '../../src/engine/run-state.ts'
import { seedOf } from '../../src/engine/seed.ts'
import { pipeline, step, template } from '../support/pipelines.ts'
import { recordsOf } from '../support/run-facts.ts'

const forEach = { items: template([]), as: 'item', maxParallel: 1 }
const document = pipeline([
  step('a'),
  step('e', { needs: ['a'], forEach }),
  step('after', { needs: ['e'] }),
  step('child', { uses: 'pipelines.run' }),
])

const done = (id: string, own: { index?: number; keptFrom?: string } = {}): RunRecord => ({
  type: 'step.finished',
  step: id,
  status: 'succeeded',
  outputs: id,
  ...own,
})
const failed = (id: string, index?: number): RunRecord => ({
  type: 'step.finished',
  step: id,
  ...(index !== undefined && { index }),
  status: 'failed',
})
const items = (...values: string[]): RunRecord => ({ type: 'step.expanded', step: 'e', items: values })
const startedRun = (id: string, index?: number): RunRecord => ({
  ...{ type: 'effect.done', step: id, attempt: 1, name: CHILD_RUN, value: `run of ${id}` },
  ...(index !== undefined && { index }),
})
const kept = (execution: Partial<KeptExecution> & { step: string }) =>
  ({ from: 'r0', outputs: 'old', ...execution }) as KeptExecution

/** As `a < r1`, `e[0] x < r1`, `child: run of child`. */
function written(execution: KeptExecution): string {
  if ('child' in execution) return `${stepKey(execution)}: ${execution.child}`
  return `${stepKey(execution)}${execution.item === undefined ? '' : ` ${execution.item}`} < ${execution.from}`
}

test.each<{
  says: string
  records: readonly RunRecord[]
  earlier?: readonly KeptExecution[]
  from?: string
  keeps: readonly string[]
}>([
  { says: 'what succeeded', records: [done('a'), failed('e')], keeps: ['a < r1'] },
  {
    says: 'the items that succeeded, with what they are',
    records: [done('a'), items('x', 'y'), done('e', { index: 0 }), failed('e', 1), failed('e')],
    keeps: ['a < r1', 'e[0] x < r1'],
  },
  {
    says: 'a whole step without its items',
    records: [items('x'), done('e', { index: 0 }), done('e')],
    keeps: ['e < r1'],
  },
  {
    says: 'the runs that steps started and that failed',
    records: [startedRun('child'), failed('child')],
    keeps: ['child: run of child'],
  },
  { says: 'no run of a step that succeeded', records: [startedRun('child'), done('child')], keeps: ['child < r1'] },
  {
    says: 'the runs of items',
    records: [items('x'), startedRun('e', 0), failed('e', 0), failed('e')],
    keeps: ['e[0]: run of e'],
  },
  {
    says: 'where a thing was done first',
    records: [done('a', { keptFrom: 'r0' })],
    earlier: [kept({ step: 'a' })],
    keeps: ['a < r0'],
  },
  {
    says: 'what the earlier run had not come to',
    records: [{ type: 'cancel.requested' }],
    earlier: [kept({ step: 'a' }), kept({ step: 'e', index: 1, item: 'y' })],
    keeps: ['a < r0', 'e[1] y < r0'],
  },
  {
    says: 'what the earlier run did anew',
    records: [items('Y'), done('e', { index: 0 }), failed('e')],
    earlier: [kept({ step: 'e', index: 0, item: 'y' })],
    keeps: ['e[0] Y < r1'],
  },
  {
    says: 'nothing from a step on',
    records: [done('a'), items('x'), done('e', { index: 0 }), failed('e'), done('child')],
    earlier: [kept({ step: 'after' })],
    from: 'e',
    keeps: ['a < r1', 'child < r1'],
  },
  { says: 'nothing of steps that are gone', records: [done('gone')], earlier: [kept({ step: 'other' })], keeps: [] },
])('a rerun keeps $says', ({ records, earlier, from, keeps }) => {
  const seed = earlier && { seed: { runId: 'r0', kept: earlier } }
  const state = foldRecords(recordsOf(document, records, seed))
  const { runId, kept: found } = seedOf(document, { runId: 'r1', state }, from)
  expect({ runId, found: found.map(written) }).toEqual({ runId: 'r1', found: keeps })
})

test('a step that is not there is a usage error with a hint', () => {
  const state = foldRecords(recordsOf(document, []))
  expect(() => seedOf(document, { runId: 'r1', state }, 'chlid')).toThrow(
    expect.objectContaining({ code: 'unknown-step', kind: 'usage', hint: 'did you mean child?' }),
  )
})
