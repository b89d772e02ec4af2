import fc from 'fast-check'
import { expect, test } from 'vitest'
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

/** Some days around every change, and around an ordinary one. */
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
const fields: fc.Arbitrary<Fields> = fc.record({
  minutes: fc.oneof(some(0, 59, 4), fc.constantFrom(all(0, 59), all(0, 59, 15), all(0, 59, 7))),
  // Clocks are changed at night.
  hours: fc.oneof(some(0, 3, 3), some(0, 23, 6), fc.constantFrom(all(0, 23), all(0, 23, 2))),
  days: fc.oneof(fc.constant('*' as const), some(1, 31, 20)),
  months: fc.oneof(fc.constant('*' as const), some(1, 12, 11)),
  weekdays: fc.oneof(fc.constant('*' as const), some(0, 6, 5)),
})

function cronOf({ minutes, hours, days, months, weekdays }: Fields): string {
  return [minutes, hours, days, months, weekdays].map((field) => (field === '*' ? '*' : field.join(','))).join(' ')
}

/** 30 February and its like are refused. */
const fires = ({ days, months, weekdays }: Fields) =>
  weekdays !== '*' || days === '*' || months === '*' || Math.min(...days) <= 28

test('slots are what looking at every minute of the clocks finds', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...windows),
      fields.filter(fires),
      fc.constantFrom('once' as const, 'twice' as const),
      ({ zone, from, to, minutes }, wanted, repeatedHour) => {
        const expected = slotsByLooking(wanted, minutes, repeatedHour).filter((slot) => slot >= from)
        expect(slotsBetween({ cron: cronOf(wanted), zone, repeatedHour }, from, to)).toEqual(expected)
      },
    ),
    { numRuns: 500 },
  )
})

test.each(ZONES.slice(0, 6))('a year of quarters of an hour in %s', (zone, [year = 2026]) => {
  const quarters = { minutes: all(0, 59, 15), hours: all(0, 23), days: '*', months: '*', weekdays: '*' } as const
  const from = Date.UTC(year, 0, 1)
  const to = Date.UTC(year + 1, 0, 1)
  const seen = localMinutes(zone, from, to, 15 * 60_000)
  for (const repeatedHour of ['once', 'twice'] as const) {
    const expected = slotsByLooking(quarters, seen, repeatedHour)
    expect(slotsBetween({ cron: '*/15 * * * *', zone, repeatedHour }, from, to)).toEqual(expected)
  }
})

test('it goes on from any instant as from the start', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...windows),
      fields.filter(fires),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constantFrom('once' as const, 'twice' as const),
      ({ zone, from, to }, wanted, share, repeatedHour) => {
        const middle = Math.floor(from + share * (to - from))
        const asked = { cron: cronOf(wanted), zone, repeatedHour }
        const parts = [...slotsBetween(asked, from, middle), ...slotsBetween(asked, middle, to)]
        expect(parts).toEqual(slotsBetween(asked, from, to))
      },
    ),
    { numRuns: 200 },
  )
})
