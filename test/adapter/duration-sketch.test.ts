import { expect, test } from 'vitest'
import { DurationSketch } from '../../src/adapter/duration-sketch.ts'

test.each([
  ['nothing', [], undefined],
  ['too few', [1, 2, 3, 4], undefined],
  ['five: the shortest of them', [50, 10, 30, 20, 40], 10],
  ['twenty: the second', Array.from({ length: 20 }, (_, index) => 20 - index), 2],
  ['one outlier among eleven', [1, ...Array(10).fill(100)], 100],
  ['the latest fifty', [...Array(100).fill(1), ...Array(50).fill(7)], 7],
])('the shortest tenth of %s', (_what, durationsMs: number[], expected) => {
  const sketch = new DurationSketch()
  for (const durationMs of durationsMs) sketch.add(durationMs)
  expect(sketch.shortestTenthMs()).toBe(expected)
})
