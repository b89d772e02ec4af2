import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DEFAULT_POLLS, pollDelayMs } from '../../src/adapter/poll-delay.ts'

const HOUR_MS = 3_600_000
const FOREVER = Number.POSITIVE_INFINITY
const durations = fc.integer({ min: 0, max: 10 * HOUR_MS })
const draw = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })
const draws = fc.array(draw, { minLength: 1, maxLength: 20 }).map((values) => {
  let next = 0
  return () => values[next++ % values.length] ?? 0
})

/** The times of the polls, if each takes no time, up to the one that sees the end or the deadline. */
function pollTimes(
  { endMs, deadlineMs = FOREVER, learnedMs }: { endMs: number; deadlineMs?: number; learnedMs?: number },
  random: () => number,
): number[] {
  const times = [0]
  for (let at = 0; at < endMs && at < deadlineMs; ) {
    const moment = { elapsedMs: at, leftMs: deadlineMs - at, learnedMs: at === 0 ? learnedMs : undefined }
    at += pollDelayMs(moment, DEFAULT_POLLS, random)
    times.push(at)
  }
  return times
}

test('an end is seen late by at most the floor or a tenth of the duration, whatever the jitter', () => {
  fc.assert(
    fc.property(durations, draws, (endMs, random) => {
      const lateMs = (pollTimes({ endMs }, random).at(-1) ?? 0) - endMs
      expect(lateMs).toBeLessThanOrEqual(Math.min(30_000, Math.max(500, 0.1 * endMs)) + 1e-6)
    }),
    { numRuns: 50 },
  )
})

test('that holds as well for a job that takes no less time than was learned, with no more polls', () => {
  fc.assert(
    fc.property(durations, fc.integer({ min: 1, max: 100 }), draw, (endMs, percent, drawn) => {
      const learnedMs = (endMs * percent) / 100
      const times = pollTimes({ endMs, learnedMs }, () => drawn)
      const lateMs = (times.at(-1) ?? 0) - endMs
      expect(lateMs).toBeLessThanOrEqual(Math.min(30_000, Math.max(500, 0.1 * endMs)) + 1e-6)
      expect(times.length).toBeLessThanOrEqual(pollTimes({ endMs }, () => drawn).length)
    }),
    { numRuns: 50 },
  )
})

test('whatever was learned, no delay is shorter than without it, nor longer than the ceiling', () => {
  fc.assert(
    fc.property(durations, durations, draw, (elapsedMs, learnedMs, drawn) => {
      const plain = pollDelayMs({ elapsedMs, leftMs: FOREVER }, DEFAULT_POLLS, () => drawn)
      const learned = pollDelayMs({ elapsedMs, leftMs: FOREVER, learnedMs }, DEFAULT_POLLS, () => drawn)
      expect(learned).toBeGreaterThanOrEqual(plain)
      expect(plain).toBeGreaterThanOrEqual(0.8 * DEFAULT_POLLS.floorMs)
      expect(learned).toBeLessThanOrEqual(DEFAULT_POLLS.ceilingMs)
    }),
  )
})

test('the last poll is at the deadline', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: HOUR_MS }), durations, draws, (deadlineMs, learnedMs, random) => {
      expect(pollTimes({ endMs: FOREVER, deadlineMs, learnedMs }, random).at(-1)).toBeCloseTo(deadlineMs, 5)
    }),
    { numRuns: 50 },
  )
})

test('an hour of waiting costs 181 requests at the mean jitter', () => {
  expect(pollTimes({ endMs: HOUR_MS }, () => 0.5).length - 1).toBe(181)
})

test.each([
  [0, undefined, 1, 500],
  [5_000, undefined, 1, 500],
  [20_000, undefined, 1, 2_000],
  [300_000, undefined, 1, 30_000],
  [9_000_000, undefined, 1, 30_000],
  [300_000, undefined, 0, 24_000],
  [0, 20_000, 1, 18_000],
  [0, 20_000, 0, 14_400],
  [3_000, 20_000, 1, 15_000],
  [0, HOUR_MS, 1, 30_000],
  [0, 300, 1, 500],
])(
  'after %i ms, with %s ms learned and the draw %d, the next poll is in %i ms',
  (elapsedMs, learnedMs, drawn, delayMs) => {
    expect(pollDelayMs({ elapsedMs, learnedMs, leftMs: FOREVER }, DEFAULT_POLLS, () => drawn)).toBeCloseTo(delayMs, 9)
  },
)
