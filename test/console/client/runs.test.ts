import { expect, test } from 'vitest'
import type { RunItem } from '../../../src/console/client/api/types.ts'
import { addOlder, joins, mergeRuns, showNewer } from '../../../src/console/client/pages/runs/merge-runs.ts'
import { fitsFilter, readFilter } from '../../../src/console/client/pages/runs/run-list-filter.ts'
import { standingOf } from '../../../src/console/client/runs/standing-of.ts'

const run = (runId: string, status: RunItem['status'] = 'succeeded'): RunItem => ({
  ...{
    runId,
    status,
    pipeline: 'nightly',
    profile: 'local',
    triggerKind: 'schedule',
    triggerLabel: '2026-11-22 02:00',
  },
  submittedAt: `2026-11-22T00:00:0${runId.at(-1)}.000Z`,
})
const ids = (runs: readonly RunItem[]) => runs.map(({ runId }) => runId)

test('rows change in place, and new ones wait above until somebody wants them', () => {
  const shown = { runs: [run('r4'), run('r2', 'running')], newer: [] }
  const merged = mergeRuns(shown, [run('r2', 'failed'), run('r6'), run('r5', 'running'), run('r1')], () => true)
  expect(merged.runs.map(({ runId, status }) => `${runId} ${status}`)).toEqual(['r4 succeeded', 'r2 failed'])
  expect(ids(merged.newer)).toEqual(['r6', 'r5'])
  expect(ids(showNewer(merged).runs)).toEqual(['r6', 'r5', 'r4', 'r2'])
})

test('a list that has looked back to a time takes up what is newer, and a page that follows brings no run twice', () => {
  const looked = { runs: [], newer: [], lookedBackTo: run('r3').submittedAt }
  const merged = mergeRuns(looked, [run('r2'), run('r3'), run('r4')], () => true)
  expect(ids(merged.newer)).toEqual(['r4', 'r3'])
  const older = addOlder({ runs: [run('r5')], newer: merged.newer }, [run('r3'), run('r2')])
  expect([ids(older.runs), ids(older.newer)]).toEqual([
    ['r5', 'r2'],
    ['r4', 'r3'],
  ])
})

test('a page of the newest runs joins a list if it has a row of it or is all there is', () => {
  const shown = { runs: [run('r3'), run('r2')], newer: [run('r5')] }
  expect(joins(shown, { runs: [run('r6'), run('r5')], next: 'r5' })).toBe(false)
  expect(joins(shown, { runs: [run('r5'), run('r3')], next: 'r3' })).toBe(true)
  expect(joins(shown, { runs: [run('r6'), run('r5')] })).toBe(true)
})

test('a waiting row that no longer fits is no longer announced', () => {
  const onlyRunning = ({ status }: RunItem) => status === 'running'
  const first = mergeRuns({ runs: [run('r1')], newer: [] }, [run('r5', 'running')], onlyRunning)
  expect(ids(first.newer)).toEqual(['r5'])
  expect(ids(mergeRuns(first, [run('r5', 'succeeded')], onlyRunning).newer)).toEqual([])
})

test('a run that succeeded in part, or waits for a partner, is not shown as others are', () => {
  const partly = { ...run('r1'), failures: 2, failuresOf: 200 }
  expect(standingOf(partly)).toEqual({ status: 'partial', text: 'Succeeded, 2 of 200 failed' })
  expect(standingOf(run('r1'))).toEqual({ status: 'succeeded' })
  const partnerWaits = { steps: 3, partners: 1, counterpart: 'partner 2005', since: '2026-11-22T00:00:00.000Z' }
  const text = 'Waits for partner 2005'
  expect(standingOf({ ...run('r1', 'running'), partnerWaits })).toEqual({ status: 'partner', text })
  expect(standingOf({ ...run('r1', 'waiting'), partnerWaits })).toEqual({ status: 'waiting' })
  expect(
    standingOf({ status: 'succeeded', items: { total: 9, succeeded: 8, failed: 1, waiting: 0, running: 0 } }),
  ).toEqual({
    status: 'partial',
    text: 'Succeeded, 1 of 9 failed',
  })
  expect(fitsFilter(partly, readFilter(new URLSearchParams('partial=true')))).toBe(true)
})

test('the filter is read from the URL, and what is no filter is left out', () => {
  const filter = readFilter(
    new URLSearchParams('status=failed&status=odd&pipeline=&q=+night+&from=never&to=2026-11-23'),
  )
  expect(filter).toEqual({ status: ['failed'], q: 'night', to: '2026-11-23' })
})

test.each([
  [{ status: ['failed'] }, false],
  [{ status: ['succeeded'], pipeline: 'nightly' }, true],
  [{ trigger: 'schedule' }, true],
  [{ trigger: 'watch' }, false],
  [{ q: 'NIGHT' }, true],
  [{ from: '2026-11-23T00:00:00Z' }, false],
  [{ to: '2026-11-23T00:00:00Z' }, true],
  [{ partial: true }, false],
] as const)('%j lets the run through: %s', (filter, fits) => {
  expect(fitsFilter(run('r1'), filter)).toBe(fits)
})
