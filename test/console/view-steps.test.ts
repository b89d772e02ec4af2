import { expect, test } from 'vitest'
import type { ViewDeps } from '../../src/console/server/views/view.ts'
import { viewSteps } from '../../src/console/server/views/view-run.ts'
import type { StepDescription } from '../../src/runs/describe-run.ts'

const step = (id: string, own: Partial<StepDescription> = {}) =>
  ({
    step: id,
    status: 'succeeded',
    jobs: [],
    effects: 0,
    decisions: [],
    attempts: [],
    ...own,
  }) as unknown as StepDescription

const STEPS = [
  step('upload'),
  step('match', { error: { code: 'c', kind: 'failed', message: 'The Partner refused' } }),
  step('each', { items: 4 }),
  step('each', { index: 0, key: 'berlin', status: 'succeeded' }),
  step('each', { index: 1, key: 'paris', status: 'failed' }),
  step('each', { index: 2, key: 'rome', label: 'Roma', status: 'waiting' }),
  step('each', { index: 3, key: 'oslo', status: 'failed' }),
  step('part', { index: 1, block: 'each' }),
]

async function listed(input: Omit<Parameters<typeof viewSteps>[1], 'runId'>): Promise<[string, number]> {
  const deps = { readRun: async () => ({ run: { steps: STEPS }, records: [] }) } as unknown as ViewDeps
  const { steps, total } = await viewSteps(deps, { runId: 'r', ...input }, {})
  return [steps.map(({ ref }) => ref).join(' '), total]
}

test.each([
  ['the steps of a run', {}, ['upload match each', 3]],
  [
    'the items of one, those that need a person first',
    { step: 'each' },
    ['each[paris] each[oslo] each[rome] each[berlin]', 4],
  ],
  ['one item', { step: 'each', item: 2 }, ['each[rome]', 1]],
  ['the steps of an item', { step: 'each', index: 1 }, ['each[1].part', 1]],
  ['those with a text in their names', { q: 'MAT' }, ['match', 1]],
  ['or in their errors', { q: 'partner' }, ['match', 1]],
  ['items with a text in their keys or labels', { step: 'each', q: 'r' }, ['each[paris] each[rome] each[berlin]', 3]],
  ['a page of them', { step: 'each', offset: 1, limit: 2 }, ['each[oslo] each[rome]', 4]],
])('%s: %j', async (_, input, expected) => {
  expect(await listed(input)).toEqual(expected)
})
