import { expect, test } from 'vitest'
import { parseDuration } from '../../src/core/duration.ts'
import {
  formatDuration,
  formatRoughDuration,
  formatShortDuration,
  formatTimeLimit,
} from '../../src/core/format/duration-text.ts'

test.each([
  ['500ms', 500],
  ['30s', 30_000],
  ['15m', 900_000],
  ['2h', 7_200_000],
  ['7d', 604_800_000],
  ['0s', 0],
  ['', undefined],
  ['5', undefined],
  ['1.5h', undefined],
  ['-1s', undefined],
  ['1 s', undefined],
  ['99999999999999999d', undefined],
])('%j is %j ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

test.each([
  [0, '0.0 s'],
  [441, '0.4 s'],
  [59_940, '59.9 s'],
  [59_960, '1 min 00 s'],
  [245_000, '4 min 05 s'],
  [7_830_000, '2 h 10 min'],
  [86_400_000, '1 d 0 h'],
  [290_340_000, '3 d 8 h'],
])('%d ms reads %j', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})

test('a short duration has milliseconds, and one that still grows no tenths', () => {
  expect([0.42, 42, 430.04, 12_430].map(formatShortDuration)).toEqual(['0.4 ms', '42 ms', '430 ms', '12.4 s'])
  expect([-5, 900, 61_000, 3_700_000].map(formatRoughDuration)).toEqual(['0 s', '0 s', '1 min', '1 h 01 min'])
})

test.each([
  [500, '500 milliseconds'],
  [1000, '1 second'],
  [10_000, '10 seconds'],
  [90_000, '90 seconds'],
  [180_000, '3 minutes'],
  [129_600_000, '36 hours'],
  [2_678_400_000, '31 days'],
])('a limit of %d ms reads %j, exact and in words', (ms, text) => {
  expect(formatTimeLimit(ms)).toBe(text)
})
