import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bandOf, breachOf, type Limits } from '../../../src/runs/guards/band.ts'

const times = (value: number, count: number) => Array.from({ length: count }, () => value)

describe('the band', () => {
  test.each<[says: string, values: readonly number[], low: number, high: number]>([
    ['is at least 20 % of the median to each side', times(1000, 7), 800, 1200],
    ['follows the spread between that and 25 %', [900, 950, 1000, 1050, 1050], 777.6, 1222.4],
    ['is at most 25 % of the median to each side', [100, 400, 1000, 1600, 1900], 750, 1250],
    ['does not move for a few strange values', [...times(1000, 20), 5, 9000, 12], 800, 1200],
    ['takes the middle of two', [900, 1100], 750, 1250],
    ['has shares of the absolute value below 0', times(-10, 3), -12, -8],
    ['is as wide as the spread around 0', [-1, 0, 1], -4.4478, 4.4478],
    ['is 0 if all values are', times(0, 9), 0, 0],
  ])('%s', (_says, values, low, high) => {
    const band = bandOf(values)
    expect(band?.low).toBeCloseTo(low, 0)
    expect(band?.high).toBeCloseTo(high, 0)
  })

  test('there is none without values', () => {
    expect(bandOf([])).toBeUndefined()
  })

  const values = fc.array(fc.double({ min: 0.001, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 60 })

  test('holds every loss of 30 % of the median, whatever the values were', () => {
    fc.assert(
      fc.property(values, fc.double({ min: 0.3, max: 1, noNaN: true }), (known, loss) => {
        const band = bandOf(known)!
        expect(breachOf(band.median * (1 - loss), { learned: { band } })).toMatchObject({ limit: 'band' })
      }),
    )
  })

  test('never holds the median, nor anything within 20 % of it', () => {
    fc.assert(
      fc.property(values, fc.double({ min: -0.199, max: 0.199, noNaN: true }), (known, off) => {
        const band = bandOf(known)!
        expect(breachOf(band.median * (1 + off), { learned: { band } })).toBeUndefined()
      }),
    )
  })

  test('depends neither on the order of the values nor on their unit', () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 1000 }), (known, unit) => {
        const band = bandOf(known)!
        expect(bandOf(known.toReversed())).toEqual(band)
        expect(bandOf(known.map((value) => value * unit))!.low / unit).toBeCloseTo(band.low, 3)
      }),
    )
  })

  test('fewer than half of the values cannot move it beyond the others', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { maxLength: 14 }), (strange) => {
        const { low, high } = bandOf([...times(1000, 15), ...strange])!
        expect([low, high]).toEqual([800, 1200])
      }),
    )
  })
})

describe('a value', () => {
  const band = { low: 800, median: 1000, high: 1200 }
  test.each<[says: string, value: number, limits: Limits, breach: object | undefined]>([
    ['is good if nothing is known', 1, {}, undefined],
    ['is good on the limits of the band', 800, { learned: { band } }, undefined],
    ['is beyond the band', 799.9, { learned: { band } }, { limit: 'band', ...band }],
    ['is above the band', 1201, { learned: { band } }, { limit: 'band', ...band }],
    ['is below the minimum from the first night', 0.2, { min: 0.25 }, { limit: 'min', at: 0.25 }],
    ['is above the maximum from the first night', 2, { max: 1 }, { limit: 'max', at: 1 }],
    ['is good on the minimum and the maximum', 1, { min: 1, max: 1 }, undefined],
    ['must keep the minimum within the band', 900, { min: 950, learned: { band } }, { limit: 'min', at: 950 }],
    ['is good near one that was approved', 190, { learned: { band, approved: [167] } }, undefined],
    ['is not good between it and the band', 400, { learned: { band, approved: [167] } }, { limit: 'band' }],
    [
      'must keep the minimum near one that was approved',
      150,
      { min: 160, learned: { band, approved: [167] } },
      { at: 160 },
    ],
  ])('%s', (_says, value, limits, breach) => {
    const found = breachOf(value, limits)
    if (breach) expect(found).toMatchObject(breach)
    else expect(found).toBeUndefined()
  })
})
