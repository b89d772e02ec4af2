import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareSimulations } from '../../../src/rehearsal/simulation/compare-simulations.ts'
import { judgeSchedule } from '../../../src/rehearsal/simulation/judge-slots.ts'
import { datesFrom, planSlots } from '../../../src/rehearsal/simulation/plan-slots.ts'
import type { SimulatedSchedule } from '../../../src/rehearsal/simulation/simulation-schema.ts'
import { scheduled } from './a-pipeline.ts'

const NOT_LIVED = {
  find: () => undefined,
  isLivedDay: () => false,
  isAtRest: () => false,
  livedUntil: (at: number) => at,
}

function simulated(...schedules: readonly string[]): readonly SimulatedSchedule[] {
  return planSlots([scheduled('p', ...schedules)], datesFrom('2026-10-20', 10), () => undefined).map(
    (planned) => judgeSchedule(planned, NOT_LIVED, 'p.yaml').schedule,
  )
}

const at = (cron: string, more = '') => `{ cron: "${cron}", timezone: UTC${more} }`

test.each([
  ['another hour', at('0 2 * * *'), at('0 3 * * *'), { moved: ['02:00 03:00 10'], added: [], gone: [] }],
  ['one more time', at('0 2 * * *'), at('0 2,14 * * *'), { moved: [], added: ['14:00 10'], gone: [] }],
  [
    'days off',
    at('0 2 * * *'),
    at('0 2 * * *', ', exclude: { weekdays: [sunday] }'),
    { moved: [], added: [], gone: ['02:00 1'] },
  ],
  ['fewer and later', at('0 2,4 * * *'), at('0 5 * * *'), { moved: ['02:00 05:00 10'], added: [], gone: ['04:00 10'] }],
])('%s', (_, before, after, expected) => {
  const [change] = compareSimulations(simulated(before), simulated(after))
  expect({
    moved: change?.moved.map(({ from, to, days }) => `${from} ${to} ${days}`),
    added: change?.added.map(({ time, days }) => `${time} ${days}`),
    gone: change?.gone.map(({ time, days }) => `${time} ${days}`),
  }).toEqual(expected)
  expect(change?.state).toBe('changed')
})

test('schedules that are new or gone are named, and figures differ from a minute on', () => {
  const [one] = simulated(at('0 2 * * *'))
  if (!one) throw new Error('there is a schedule')
  const ended = (afterMs: number, late: number): readonly SimulatedSchedule[] => [
    { ...one, fates: { late }, latestEnd: { local: '2026-10-20 02:00 Z', endedAt: '2026-10-20 02:30 Z', afterMs } },
  ]
  expect(compareSimulations([], [one]).map(({ state }) => state)).toEqual(['added'])
  expect(compareSimulations([one], []).map(({ state }) => state)).toEqual(['gone'])
  expect(compareSimulations(ended(100_000, 0), ended(159_999, 0))).toEqual([])
  expect(compareSimulations(ended(100_000, 0), ended(160_000, 2))[0]?.figures.map(({ what }) => what)).toEqual([
    'late',
    'latestEnd',
  ])
})

test('nothing differs from itself, and the other way round, what was added is gone', () => {
  const cron = fc
    .tuple(
      fc.integer({ min: 0, max: 59 }),
      fc.uniqueArray(fc.integer({ min: 0, max: 23 }), { minLength: 1, maxLength: 4 }),
    )
    .map(([minute, hours]) => at(`${minute} ${hours.join(',')} * * *`))
  fc.assert(
    fc.property(cron, cron, (one, other) => {
      const [before, after] = [simulated(one), simulated(other)]
      expect(compareSimulations(before, before)).toEqual([])
      const [there] = compareSimulations(before, after)
      const [back] = compareSimulations(after, before)
      expect(back?.gone).toEqual(there?.added)
      expect(back?.added).toEqual(there?.gone)
      expect(back?.moved.map(({ from, to }) => [to, from])).toEqual(there?.moved.map(({ from, to }) => [from, to]))
      // For anything that moved, was added or was removed: nothing is lost.
      const days = (all: readonly { readonly days: number }[] = []) =>
        all.reduce((sum, { days: count }) => sum + count, 0)
      expect((before[0]?.slots ?? 0) - days(there?.gone) + days(there?.added)).toBe(after[0]?.slots)
    }),
    { numRuns: 60 },
  )
})
