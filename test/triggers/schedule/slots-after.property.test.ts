import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tries } from '../../support/tries.ts'
import { changesOf, type Fields, localMinutes, slotsByLooking } from './local-minutes.ts'
import { slotsBetween } from './slots.ts'

const DAY_MS = 86_400_000
const ZONES: [zone: string, years: number[]][] = [
  ['America/New_York', [2026, 2027]],
  ['Europe/Berlin', [2026]],
  ['Europe/Dublin', [2026]],
  ['America/Sao_Paulo', [2018, 2026]],
  ['Australia/Lord_Howe', [2026, 2027]],
  ['Asia/Kathmandu', [1986, 2026]],
  ['Africa/Cairo', [2026]],
  ['Africa/Casablanca', [2026]],
  ['Antarctica/Troll', [2026]],
  ['America/Havana', [2026]],
  ['Asia/Beirut', [2026]],
  ['America/Scoresbysund', [2024]],
  ['Pacific/Apia', [2011]],
  ['Pacific/Chatham', [2026]],
]

/** Some days around every change, and around an ordinary day. */
const windows = ZONES.flatMap(([zone, years]) =>
  years.flatMap((year) =>
    [...changesOf(zone, year), Date.UTC(year, 5, 30)].map((change) => {
      const from = change - 2 * DAY_MS
      const to = change + 3 * DAY_MS
      return { zone, from, to, minutes: localMinutes(zone, from - 2 * DAY_MS, to) }
    }),
  ),
)

const some = (low: number, high: number, most: number) =>
  fc.uniqueArray(fc.integer({ min: low, max: high }), { minLength: 1, maxLength: most })
const all = (low: number, high: number, step = 1) =>
  Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, index) => low + index * step)
/** The text of a field, and its values. */
type Written = readonly [text: string, values: readonly number[]]
const list = (values: readonly number[]): Written => [values.join(','), values]
const star = (high: number, step: number): Written => [step === 1 ? '*' : `*/${step}`, all(0, high, step)]
const minutes = fc.oneof(some(0, 59, 4).map(list), fc.constantFrom(list(all(0, 59, 15)), star(59, 1), star(59, 7)))
// Clocks change at night.
const hours = fc.oneof(
  some(0, 3, 3).map(list),
  some(0, 23, 6).map(list),
  fc.constantFrom(list(all(0, 23)), star(23, 1), star(23, 2)),
)
const days = fc.record({
  days: fc.oneof(fc.constant('*' as const), some(1, 31, 20)),
  months: fc.oneof(fc.constant('*' as const), some(1, 12, 11)),
  weekdays: fc.oneof(fc.constant('*' as const), some(0, 6, 5)),
})
/** A cron line and the values of its fields. */
const lines = fc.tuple(minutes, hours, days.filter(fires)).map(([minute, hour, rest]) => ({
  cron: [minute[0], hour[0], ...[rest.days, rest.months, rest.weekdays].map(String)].join(' '),
  fields: { isInterval: `${minute[0]}${hour[0]}`.includes('*'), minutes: minute[1], hours: hour[1], ...rest },
}))
const repeated = fc.constantFrom('once' as const, 'twice' as const, undefined)

/** 30 February and its like are refused. */
function fires({ days, months, weekdays }: Pick<Fields, 'days' | 'months' | 'weekdays'>): boolean {
  return weekdays !== '*' || days === '*' || months === '*' || Math.min(...days) <= 28
}

test('slots are what looking at every minute of the clocks finds', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...windows),
      lines,
      repeated,
      ({ zone, from, to, minutes }, { cron, fields }, repeatedHour) => {
        const expected = slotsByLooking(fields, minutes, repeatedHour).filter((slot) => slot >= from)
        expect(slotsBetween({ cron, zone, repeatedHour }, from, to)).toEqual(expected)
      },
    ),
    { numRuns: tries(75, 500) },
  )
})

test.each(ZONES.slice(0, 6))('a year of quarters of an hour in %s', (zone, [year = 2026]) => {
  const every = { days: '*', months: '*', weekdays: '*' } as const
  const quarters = { isInterval: true, minutes: all(0, 59, 15), hours: all(0, 23), ...every }
  const from = Date.UTC(year, 0, 1)
  const to = Date.UTC(year + 1, 0, 1)
  const seen = localMinutes(zone, from, to, 15 * 60_000)
  for (const repeatedHour of ['once', 'twice', undefined] as const) {
    const expected = slotsByLooking(quarters, seen, repeatedHour)
    const found = slotsBetween({ cron: '*/15 * * * *', zone, repeatedHour }, from, to)
    expect(found.join('\n')).toBe(expected.join('\n'))
  }
})

test('it goes on from any instant as from the start', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...windows),
      lines,
      fc.double({ min: 0, max: 1, noNaN: true }),
      repeated,
      ({ zone, from, to }, { cron }, share, repeatedHour) => {
        const middle = Math.floor(from + share * (to - from))
        const asked = { cron, zone, repeatedHour }
        const parts = [...slotsBetween(asked, from, middle), ...slotsBetween(asked, middle, to)]
        expect(parts).toEqual(slotsBetween(asked, from, to))
      },
    ),
    { numRuns: tries(30, 200) },
  )
})
