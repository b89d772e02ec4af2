import { expect, test } from 'vitest'
import type { RunRecord } from '../../src/core/run.ts'
import { describeRun } from '../../src/runs/describe-run.ts'
import { figuresBeside, isFigure } from '../../src/runs/figures-beside.ts'

test.each([
  ['matchCount', true],
  ['rows', true],
  ['valid', true],
  ['paid', true],
  ['id', false],
  ['groupId', false],
  ['matchJobId', false],
  ['partner_id', false],
  ['partnerID', false],
  ['matchRequestor', false],
  ['approver', false],
])('%s is a figure: %s', (name, expected) => {
  expect(isFigure(name)).toBe(expected)
})

/** A run of one step, with these records. */
function runWith(...own: readonly object[]) {
  const row = { runId: 'r', pipeline: 'p', profile: 'local', status: 'running', submittedAt: 0 } as const
  const records = [{ type: 'step.started', step: 'list', attempt: 1 }, ...own].map((record, seq) => ({
    ...{ seq, at: seq, record: record as RunRecord },
  }))
  return describeRun({ ...row, triggerKind: 'manual', triggerLabel: '' }, records)
}

test('what a held step has put out stands beside the figures of the good run, also if a person rejected it', () => {
  const held = (keys: number) => ({
    ...{ type: 'guard.measured', step: 'list', of: 'outputs.keys', value: keys },
    ...{ verdict: 'held', breach: { limit: 'low' }, outputs: { keys } },
  })
  const error = { code: 'rejected', kind: 'failed', message: 'no' }
  const good = runWith({ type: 'step.finished', step: 'list', status: 'succeeded', outputs: { keys: 5200 } })
  const waiting = runWith(held(2600), { type: 'step.waiting', step: 'list', reason: 'approval' })
  const rejected = runWith(held(2500), { type: 'step.finished', step: 'list', status: 'failed', error })
  expect(figuresBeside(good, waiting)).toEqual([{ step: 'list', name: 'keys', a: 5200, b: 2600 }])
  expect(figuresBeside(good, rejected)).toEqual([{ step: 'list', name: 'keys', a: 5200, b: 2500 }])
})
