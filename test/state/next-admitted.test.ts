import { expect, test } from 'vitest'
import { fairOrder, nextAdmitted, type QueuedRun } from '../../src/state/next-admitted.ts'

/** `a1` is of kind a. */
const order = (underWay: Record<string, number>, ...runIds: readonly string[]) =>
  fairOrder(
    runIds.map((runId) => ({ runId, kind: runId.slice(0, 1) })),
    new Map(Object.entries(underWay)),
  ).join(' ')

test.each([
  ['a kind without active runs comes before one that has one', { a: 1 }, ['a1', 'b1'], 'b1 a1'],
  ['kinds with as many active runs keep their order', { a: 1, b: 1 }, ['a1', 'b1'], 'a1 b1'],
  ['kinds take turns', {}, ['a1', 'a2', 'a3', 'b1', 'b2'], 'a1 b1 a2 b2 a3'],
  [
    'a kind with more active runs catches no turn until the other has as many',
    { a: 2 },
    ['a1', 'b1', 'b2', 'b3'],
    'b1 b2 a1 b3',
  ],
  ['runs of one kind keep their order', { a: 5 }, ['a1', 'a2', 'a3'], 'a1 a2 a3'],
])('%s', (_, underWay, runIds, expected) => {
  expect(order(underWay as Record<string, number>, ...runIds)).toBe(expected)
})

test('what it was given stays as it was', () => {
  const underWay = new Map([['a', 1]])
  fairOrder([{ runId: 'a1', kind: 'a' }], underWay)
  expect([...underWay]).toEqual([['a', 1]])
})

/**
 * `a1` belongs to the group a, which allows one run at a time; `ab1` belongs to the groups a and b, and `-1` to none.
 */
const queued = (runId: string, own: Partial<QueuedRun> = {}): QueuedRun => ({
  ...{ runId, pipeline: 'p', admittedBy: 'us', isCancelled: false },
  groups: [...(runId.match(/^[a-z]*/)?.[0] ?? '')].map((name) => ({ name, limit: 1 })),
  ...own,
})
const next = (runs: readonly QueuedRun[], { room = 9, inside = {} } = {}) =>
  nextAdmitted(runs, { room, inside: new Map(Object.entries(inside)), active: new Map() }).join(' ')

const cancelled = { isCancelled: true }
const others = { admittedBy: 'others' } as const
const nobody = { admittedBy: 'nobody' } as const

test.each([
  ['a full group lets nobody in', next([queued('a1'), queued('b1')], { inside: { a: 1 } }), 'b1'],
  ['one place is for the first of its queue', next([queued('a1'), queued('a2')]), 'a1'],
  ['a run of two groups needs a place in both', next([queued('ab1')], { inside: { b: 1 } }), ''],
  ['and keeps its place in both while it waits', next([queued('ab1'), queued('a2')], { inside: { b: 1 } }), ''],
  ['a run without a group needs none', next([queued('-1'), queued('-2')]), '-1 -2'],
  ['no more than there is room for', next([queued('-1'), queued('-2')], { room: 1 }), '-1'],
  ['none if there is less than no room', next([queued('-1'), queued('-2')], { room: -1 }), ''],
  ['the place of another process is its own', next([queued('a1', others), queued('a2')]), ''],
  ['a run that nobody lets in is in nobody’s way', next([queued('a1', nobody), queued('a2')]), 'a2'],
  ['a cancelled run waits for no place', next([queued('a1', cancelled)], { inside: { a: 1 } }), 'a1'],
  ['a cancelled run takes no place', next([queued('a1', cancelled), queued('a2')]), 'a1 a2'],
  [
    'one of another process does, until that has let it in',
    next([queued('a1', { ...cancelled, ...others }), queued('a2')]),
    '',
  ],
])('%s', (_, admitted, expected) => {
  expect(admitted).toBe(expected)
})

test('kinds are groups, and without one pipelines', () => {
  const active = new Map([
    ['a', 1],
    ['p', 2],
  ])
  const runs = [queued('-1'), queued('a1'), queued('-2', { pipeline: 'q' })]
  expect(nextAdmitted(runs, { room: 9, inside: new Map(), active })).toEqual(['-2', 'a1', '-1'])
})
