import { expect, test } from 'vitest'
import { formatDuration, parseDuration } from '../../src/core/duration.ts'

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
