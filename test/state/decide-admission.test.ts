import { expect, test } from 'vitest'
import type { RunGroup } from '../../src/core/run.ts'
import { decideAdmission } from '../../src/state/decide-admission.ts'

const full = (name: string, onConflict: RunGroup['onConflict'], ...inTheWay: string[]) => ({
  group: { name, limit: 1, onConflict },
  inTheWay,
})
const barred = (runId: string, state: 'skipped' | 'refused', occurrence: object) => ({
  submission: { runId, existing: true, state },
  occurrence,
})

test.each([
  ['no full group', [], false, { cancels: [] }],
  ['no full group, held', [], true, { cancels: [], queued: {} }],
  ['queue', [full('g', 'queue', 'a', 'b')], false, { cancels: [], queued: { group: 'g', behind: 'a' } }],
  [
    'cancelRunning',
    [full('g', 'cancelRunning', 'a', 'b')],
    false,
    { cancels: ['a', 'b'], queued: { group: 'g', behind: 'a' } },
  ],
  [
    'skip',
    [full('g', 'skip', 'a')],
    false,
    barred('a', 'skipped', { state: 'skipped', reason: 'group g is busy with run a' }),
  ],
  [
    'fail',
    [full('g', 'fail', 'a')],
    true,
    barred('a', 'refused', { state: 'failed', reason: 'group g is busy with run a' }),
  ],
  [
    'skip beside cancelRunning, which then cancels nothing',
    [full('g', 'cancelRunning', 'a'), full('h', 'skip', 'b')],
    false,
    barred('b', 'skipped', { state: 'skipped', reason: 'group h is busy with run b' }),
  ],
])('%s', (_name, groups, hold, decision) => {
  expect(decideAdmission(groups, hold)).toEqual(decision)
})

test('a group that has a reason gives it', () => {
  const { group, inTheWay } = full('g', 'skip', 'a')
  expect(decideAdmission([{ group: { ...group, because: 'overlap' }, inTheWay }])).toMatchObject({
    occurrence: { reason: 'overlap' },
  })
})
