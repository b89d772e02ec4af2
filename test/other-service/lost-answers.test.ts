import { describe, expect, test, vi } from 'vitest'
import { isUnknowable, lostAnswersOf, lostMemoryOf, ONE_EACH } from './expected.ts'
import { nightsOfLosses, nightsWithoutMemory } from './live-through.ts'
import { type VariantName, variants } from './variants.ts'

vi.mock('../../src/platform/clock.ts', async () => ({ systemClock: (await import('./turn-clock.ts')).turnClock }))

/** How answers are written has no part in looking things up. */
const WRITING = /asked for|content type|page fields|^20[12] for|documented|activation status|update that answers/
const names = (Object.keys(variants) as VariantName[]).filter((name) => !WRITING.test(name))

describe.concurrent('the answers to all writes are lost once', () => {
  test.each(['resetAfter', 'errorAfter', 'htmlAfter', 'emptyAfter', 'truncatedAfter'] as const)(
    'after the write was applied: %s',
    async (how) => {
      expect(await nightsOfLosses({}, how)).toEqual(lostAnswersOf('a plain one'))
    },
  )

  test.each(['resetBefore', 'errorBefore'] as const)('before it was: %s', async (how) => {
    expect(await nightsOfLosses({}, how)).toEqual([
      '1 asks about matches.create',
      '--again 1 asks about activations.create',
      '--again 0 created created created',
      '0 refreshed refreshed unchanged',
      ONE_EACH,
    ])
  })

  test.each(names)('%s', async (name) => {
    expect(await nightsOfLosses(variants[name], 'resetAfter')).toEqual(lostAnswersOf(name))
  })
})

describe.concurrent('the state is lost between two nights', () => {
  test.each(names.filter((name) => !isUnknowable(name)))('%s', async (name) => {
    expect(await nightsWithoutMemory(variants[name])).toEqual(lostMemoryOf(name))
  })
})
