import { expect, test } from 'vitest'
import { backoffDelay, pollDelay } from '../../src/core/delays.ts'

test.each([
  [1, 250],
  [2, 500],
  [6, 8000],
  [7, 15_000],
  [5000, 15_000],
])('after attempt %i the delay is %i ms', (attempt, expected) => {
  expect(backoffDelay({ firstMs: 250, longestMs: 15_000 }, attempt)).toBe(expected)
})

test('another factor', () => {
  expect(backoffDelay({ firstMs: 100, longestMs: 5000, factor: 3 }, 3)).toBe(900)
})

test.each([
  [0, 500],
  [5000, 500],
  [60_000, 6000],
  [3_600_000, 30_000],
])('after %i ms the next look is in %i ms', (waitedMs, expected) => {
  expect(pollDelay(waitedMs, { shortestMs: 500, longestMs: 30_000 })).toBe(expected)
})
