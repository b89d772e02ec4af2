import { describe, expect, test } from 'vitest'
import { useTurnClock } from '../support/turn-clock.ts'
import { QUICKSTARTS, threeNightsOf } from './expected.ts'
import { quickstartTwice, threeNights } from './live-through.ts'
import { byExpected, servicesOf, type VariantName, variants } from './variants.ts'

useTurnClock()

const names = Object.keys(variants) as VariantName[]

describe.concurrent('the nightly document, three nights', () => {
  test.each(byExpected(names, threeNightsOf))('%s', async (_, ways, expected) => {
    expect(await threeNights(ways)).toEqual(expected)
  })
})

describe.concurrent('the quickstart, twice', () => {
  test.each(servicesOf(names))('%s', async (_, ways) => {
    expect(await quickstartTwice(ways)).toEqual(QUICKSTARTS)
  })
})
