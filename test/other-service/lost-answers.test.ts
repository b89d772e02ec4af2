import { describe, expect, test } from 'vitest'
import { useTurnClock } from '../support/turn-clock.ts'
import { isUnknowable, lostAnswersOf, lostMemoryOf, ONE_EACH } from './expected.ts'
import { nightsOfLosses, nightsWithoutMemory } from './live-through.ts'
import { byExpected, type VariantName, variants } from './variants.ts'

useTurnClock()

/** The formatting of answers does not change how things are looked up. */
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

  test.each(byExpected(names, lostAnswersOf))('%s', async (_, ways, expected) => {
    expect(await nightsOfLosses(ways, 'resetAfter')).toEqual(expected)
  })
})

describe.concurrent('the state is lost between two nights', () => {
  const knowable = names.filter((name) => !isUnknowable(name))
  test.each(byExpected(knowable, lostMemoryOf))('%s', async (_, ways, expected) => {
    expect(await nightsWithoutMemory(ways)).toEqual(expected)
  })
})
