import { expect, test } from 'vitest'
import { readRun, toStepItem } from '../../src/console/server/run-facts.ts'
import type { StepDescription } from '../../src/runs/describe-run.ts'
import type { RunRow } from '../../src/state/run-history.ts'

const WAITS = {
  ...{ step: 'ask', status: 'waiting', waitsFor: 'decision', jobs: [], effects: 0, decisions: [], attempts: [] },
} as unknown as StepDescription
const TERMS = { approvers: ['bo'] } as unknown as NonNullable<StepDescription['approval']>

test.each<[string, Partial<StepDescription>, 'operator' | 'approver', string | undefined]>([
  ['an approver may decide', {}, 'approver', undefined],
  ['an operator may not', {}, 'operator', 'not-an-approver'],
  ['somebody else is named', { waitsFor: 'approval', approval: TERMS }, 'approver', 'not-among-approvers'],
  ['nobody is asked', { waitsFor: undefined }, 'operator', undefined],
])('of a step that waits, %s', (_what, own, role, mayNotDecide) => {
  const item = toStepItem({ ...WAITS, ...own }, { records: [], caller: { by: 'ana', role } })
  expect(item.mayNotDecide).toBe(mayNotDecide)
})

test('a run that is removed between the two reads is unknown', async () => {
  const row = { runId: 'r', pipeline: 'p' } as RunRow
  const runs = { find: async () => row, records: async () => [], page: async () => ({ rows: [] }) }
  await expect(readRun(runs, 'r')).rejects.toMatchObject({ code: 'unknown-run' })
})
