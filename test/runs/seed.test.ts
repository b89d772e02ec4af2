import { expect, test } from 'vitest'
import { CHILD_RUN } from '../../src/core/engine.ts'
import type { Outcome } from '../../src/core/errors.ts'
import type { KeptExecution, Measured, RunRecord, StepRef } from '../../src/core/run.ts'
import { foldRecords } from '../../src/runs/run-state.ts'
import { seedOf } from '../../src/runs/seed.ts'
import { pipeline, step, template } from '../support/pipelines.ts'
import { briefKept, recordsOf } from '../support/run-facts.ts'

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
const intent = (id: string, index?: number): RunRecord => ({
  ...{ type: 'effect.done', step: id, attempt: 1, name: 'intent', value: { operation: 'matches.create' } },
  ...(index !== undefined && { index }),
})
const answer = (id: string, attempt = 1): RunRecord => ({
  ...{ type: 'effect.done', step: id, attempt, name: 'answer', value: { id: '7' } },
})
const started = (id: string, attempt = 1): RunRecord => ({ type: 'step.started', step: id, attempt })
const because = (code: string, request?: { operation: string; outcome: Outcome }) =>
  ({
    error: {
      code,
      kind: 'failed',
      message: code,
      ...(request && { request: { method: 'POST', path: '/', ...request } }),
    },
  }) as const
const failedBecause = (...why: Parameters<typeof because>): RunRecord => ({
  ...{ type: 'step.finished', step: 'a', status: 'failed' },
  ...because(...why),
})
const refused = (outcome: Outcome) => failedBecause('rejected', { operation: 'matches.create', outcome })
const attemptFailed = (own: { keepsEffects?: true } = {}): RunRecord => ({
  ...{ type: 'attempt.failed', step: 'a', attempt: 1, retryAt: 9000, ...because('timeout') },
  ...own,
})
const cancelled: RunRecord = { type: 'step.finished', step: 'a', status: 'cancelled' }
const oldEffects: KeptExecution = { step: 'a', from: 'r0', effects: { intent: { operation: 'matches.create' } } }
const kept = (execution: Partial<KeptExecution> & { step: string }) =>
  ({ from: 'r0', outputs: 'old', ...execution }) as KeptExecution

const measured = (id: string, own: Partial<Measured & StepRef> = {}): RunRecord => ({
  ...{ type: 'guard.measured', step: id, of: 'x', value: 1, verdict: 'good' },
  ...own,
})

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
  {
    says: 'the answer to a write, when reading what it made failed',
    records: [
      started('a'),
      intent('a'),
      answer('a'),
      failedBecause('not-found', { operation: 'matches.get', outcome: 'rejected' }),
    ],
    keeps: ['a: intent answer'],
  },
  {
    says: 'the answer to a write, when its job was not waited for',
    records: [started('a'), intent('a'), answer('a'), failedBecause('job-timeout')],
    keeps: ['a: intent answer'],
  },
  {
    says: 'the answer to a write, when what it made does not meet an expectation',
    records: [started('a'), intent('a'), answer('a'), failedBecause('expectation-failed')],
    keeps: ['a: intent answer'],
  },
  ...['guard-breached', 'guard-rejected'].map((code) => ({
    says: `the answer to a write, when its guard did not let it through (${code})`,
    records: [started('a'), intent('a'), answer('a'), measured('a'), failedBecause(code)],
    keeps: ['a: intent answer'],
  })),
  {
    says: 'that a write was announced, when it was cancelled',
    records: [started('a'), intent('a'), cancelled],
    keeps: ['a: intent'],
  },
  {
    says: 'that a write was announced, when its outcome is unknown',
    records: [started('a'), intent('a'), refused('unknown')],
    keeps: ['a: intent'],
  },
  { says: 'nothing of a write that was refused', records: [started('a'), intent('a'), refused('rejected')], keeps: [] },
  { says: 'nothing of a write that was not sent', records: [started('a'), intent('a'), refused('notSent')], keeps: [] },
  {
    says: 'nothing of a job that failed',
    records: [started('a'), intent('a'), answer('a'), failedBecause('job-failed')],
    keeps: [],
  },
  {
    says: 'nothing where no write was announced',
    records: [started('a'), answer('a'), failedBecause('timeout')],
    keeps: [],
  },
  {
    says: 'nothing of an attempt that was to be followed by a fresh one',
    records: [started('a'), intent('a'), attemptFailed(), cancelled],
    keeps: [],
  },
  {
    says: 'an attempt that was to be followed by one that continues from it',
    records: [started('a'), intent('a'), attemptFailed({ keepsEffects: true }), cancelled],
    keeps: ['a: intent'],
  },
  {
    says: 'nothing of what a person wanted made again',
    records: [started('a'), intent('a'), { type: 'decision.made', step: 'a', decision: 'again' }, cancelled],
    keeps: [],
  },
  {
    says: 'the announced writes of items',
    records: [items('x'), { ...started('e'), index: 0 } as RunRecord, intent('e', 0), failed('e', 0), failed('e')],
    keeps: ['e[0]: intent'],
  },
  {
    says: 'the effects of an earlier run that this one continued from',
    records: [started('a'), answer('a'), failedBecause('timeout')],
    earlier: [oldEffects],
    keeps: ['a: intent answer'],
  },
  {
    says: 'the effects of an earlier run that this one did not come to',
    records: [cancelled],
    earlier: [oldEffects],
    keeps: ['a: intent'],
  },
  {
    says: 'no effects of an earlier run whose job failed in this one',
    records: [started('a'), failedBecause('job-failed')],
    earlier: [oldEffects],
    keeps: [],
  },
  { says: 'no effects from a step on', records: [started('a'), intent('a'), cancelled], from: 'a', keeps: [] },
  { says: 'nothing of steps that are gone', records: [done('gone')], earlier: [kept({ step: 'other' })], keeps: [] },
])('a rerun keeps $says', ({ records, earlier, from, keeps }) => {
  const seed = earlier && { seed: { runId: 'r0', kept: earlier } }
  const state = foldRecords(recordsOf(document, records, seed))
  const { runId, kept: found } = seedOf(document, { runId: 'r1', state }, from)
  expect({ runId, found: found.map(briefKept) }).toEqual({ runId: 'r1', found: keeps })
})

test('a step that is not there is a usage error with a hint', () => {
  const state = foldRecords(recordsOf(document, []))
  expect(() => seedOf(document, { runId: 'r1', state }, 'chlid')).toThrow(
    expect.objectContaining({ code: 'unknown-step', kind: 'usage', hint: 'did you mean child?' }),
  )
})

test('what guards measured is kept with the outputs, as it was decided', () => {
  const held = measured('a', { value: 167, verdict: 'held', breach: { limit: 'min', at: 200 } })
  const records = [
    ...[started('a'), { ...held, outputs: 'a' } as RunRecord],
    { type: 'decision.made', step: 'a', decision: 'approved' } as const,
    ...[done('a'), items('x'), measured('e', { index: 0, item: 'x', value: 5 }), done('e', { index: 0 }), done('e')],
  ]
  const state = foldRecords(recordsOf(document, records))
  expect(seedOf(document, { runId: 'r1', state }).kept).toMatchObject([
    { step: 'a', guards: [{ step: 'a', of: 'x', value: 167, verdict: 'approved' }] },
    { step: 'e', guards: [{ step: 'e', index: 0, of: 'x', item: 'x', value: 5, verdict: 'good' }] },
  ])
})
