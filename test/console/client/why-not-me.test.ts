import { expect, test } from 'vitest'
import type { Step } from '../../../src/console/client/api/types.ts'
import { whyNotMe } from '../../../src/console/client/pages/run/why-not-me.ts'

const waiting = (own: object) => ({ waitsFor: 'approval', ...own }) as unknown as Step
const SELF = 'You had a part in starting this run, so somebody else has to decide.'

test.each([
  ['nothing', {}, undefined],
  ['a name that is in the list', { approval: { approvers: ['ann'] } }, undefined],
  [
    'a name that is not',
    { approval: { approvers: ['bob', 'carl'] } },
    'You are not among those who may decide: bob, carl.',
  ],
  ['a run of others', { approval: { notBy: ['bob'] } }, undefined],
  ['a run of one’s own', { approval: { notBy: ['bob', 'Ann'] } }, SELF],
  ['a run of one’s own, as the only approver', { approval: { notBy: ['ann'], approvers: ['ann'] } }, SELF],
  ['a write in doubt in a run of one’s own', { waitsFor: 'decision', approval: { notBy: ['ann'] } }, undefined],
])('an approver is told why not: %s', (_case, own, why) => {
  expect(whyNotMe(waiting(own), { by: 'ann', role: 'approver' })).toBe(why)
})

test('others are told that an approver has to decide', () => {
  expect(whyNotMe(waiting({}), { by: 'ann', role: 'operator' })).toBe('An approver has to decide.')
})
