import { describe, expect, test, vi } from 'vitest'
import { QUICKSTARTS, threeNightsOf } from './expected.ts'
import { quickstartTwice, threeNights } from './live-through.ts'
import { servicesOf, type VariantName, variants } from './variants.ts'

vi.mock('../../src/platform/clock.ts', async () => ({ systemClock: (await import('./turn-clock.ts')).turnClock }))

const names = Object.keys(variants) as VariantName[]

describe.concurrent('the nightly document, three nights', () => {
  test.each(names)('%s', async (name) => {
    expect(await threeNights(variants[name])).toEqual(threeNightsOf(name))
  })
})

describe.concurrent('the quickstart, twice', () => {
  test.each(servicesOf(names))('%s', async (_, ways) => {
    expect(await quickstartTwice(ways)).toEqual(QUICKSTARTS)
  })
})
