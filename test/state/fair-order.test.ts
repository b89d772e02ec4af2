import { expect, test } from 'vitest'
import { fairOrder } from '../../src/state/fair-order.ts'

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
