import { describe, expect, test, vi } from 'vitest'
import { QUICKSTARTS, quickstartTwice, THREE_NIGHTS, threeNights } from './live-through.ts'
import { type VariantName, variants } from './variants.ts'

vi.mock('../../src/clock.ts', async () => ({ systemClock: (await import('./turn-clock.ts')).turnClock }))

const names = Object.keys(variants) as VariantName[]

describe.concurrent('the nightly document, three nights', { timeout: 120_000 }, () => {
  test.each(names)('%s', async (name) => {
    expect(await threeNights(variants[name])).toEqual(THREE_NIGHTS)
  })

  test('a service that gives files other names', async () => {
    const [first, , third, counts] = THREE_NIGHTS
    const second = '0 refreshed refreshed unchanged'
    expect(await threeNights({ uploadName: 'renamed' })).toEqual([first, second, third, counts])
  })
})

describe.concurrent('the quickstart, twice', { timeout: 120_000 }, () => {
  test.each(names)('%s', async (name) => {
    expect(await quickstartTwice(variants[name])).toEqual(QUICKSTARTS)
  })
})
