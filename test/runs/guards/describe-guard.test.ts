import { describe, expect, test } from 'vitest'
import { formatNumber } from '../../../src/core/format/figures.ts'
import { describeGuard, type GuardDescription } from '../../../src/runs/guards/describe-guard.ts'

test.each([
  [0, '0'],
  [866, '866'],
  [866.25, '866.3'],
  [12_345.678, '12,346'],
  [-1234567, '-1,234,567'],
  [0.342156, '0.3422'],
  [0.00001234567, '0.00001235'],
  [-0.5, '-0.5'],
  [1e-9, '1e-9'],
  [1e21, '1e+21'],
  [2 ** 53, '9,007,199,254,740,992'],
])('%d is %s', (value, text) => {
  expect(formatNumber(value)).toBe(text)
})

describe('a guard in a few words', () => {
  const band = { low: 800, median: 1000, high: 1200 }
  test.each<[GuardDescription, string]>([
    [{ value: 866, verdict: 'good' }, 'guard 866'],
    [{ value: 866, verdict: 'good', learnedFrom: ['b', 'a'] }, 'guard 866, still learning (2 values)'],
    [{ value: 866, verdict: 'good', learnedFrom: ['a'] }, 'guard 866, still learning (1 value)'],
    [{ value: 866, verdict: 'good', band }, 'guard 866, within 800 to 1,200'],
    [{ value: 167, verdict: 'held', band, breach: { limit: 'band', ...band } }, 'guard 167, outside 800 to 1,200'],
    [{ value: 167, verdict: 'good', band }, 'guard 167, near an approved value, outside 800 to 1,200'],
    [{ value: 0.2, verdict: 'failed', band, breach: { limit: 'min', at: 0.25 } }, 'guard 0.2, less than 0.25'],
    [{ value: 2, verdict: 'warned', breach: { limit: 'max', at: 1 } }, 'guard 2, more than 1'],
  ])('%o', (guard, text) => {
    expect(describeGuard(guard)).toBe(text)
  })
})
