import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dateAfter } from '../../../src/core/date.ts'
import { chooseDays, fallsInRest, restsOf, sharesOf, spansOf } from '../../../src/rehearsal/simulation/choose-days.ts'
import { clockAround, clockChanges, datesFrom, planSlots } from '../../../src/rehearsal/simulation/plan-slots.ts'
import { scheduled } from './a-pipeline.ts'

const anyFile = () => undefined
const plan = (from: string, days: number, ...schedules: readonly string[]) =>
  planSlots([scheduled('p', ...schedules)], datesFrom(from, days), anyFile)
const choose = (from: string, days: number, schedules: readonly string[], isExact = false) => {
  const dates = datesFrom(from, days)
  const planned = plan(from, days, ...schedules)
  return chooseDays(planned, { dates, changes: clockChanges(planned, dates), isExact }).map(
    ({ date, why }) => `${date} ${why}`,
  )
}

test.each([
  ['fixed times that clocks leave out come after the gap', '2026-03-29', '"30 2 * * *"', ['03:00 +02:00']],
  [
    'an interval has no slot in the gap',
    '2026-03-29',
    '"*/30 1-3 * * *"',
    ['01:00 +01:00', '01:30 +01:00', '03:00 +02:00', '03:30 +02:00'],
  ],
  ['fixed times that come twice have one slot', '2026-10-25', '"30 2 * * *"', ['02:30 +02:00']],
  ['an interval follows the clock', '2026-10-25', '"30 * * * *"', undefined],
])('%s', (_, date, cron, times) => {
  const [one] = plan(date, 1, `{ cron: ${cron}, timezone: Europe/Berlin }`)
  const local = one?.slots.map(({ at }) => {
    const { time, offset } = one.schedule.localTime(at)
    return `${time} ${offset}`
  })
  if (times) expect(local).toEqual(times)
  else expect(local).toHaveLength(25)
})

test.each([
  ['Europe/Berlin', '2026-03-01', ['2026-03-29 02:00 +01:00, 03:00 +02:00']],
  ['Europe/Berlin', '2026-10-01', ['2026-10-25 03:00 +02:00, 02:00 +01:00']],
  // The change is before the end of the UTC day, and long after the start of the zone's day.
  ['America/New_York', '2026-10-20', ['2026-11-01 02:00 -04:00, 01:00 -05:00']],
  ['Australia/Lord_Howe', '2026-04-01', ['2026-04-05 02:00 +11:00, 01:30 +10:30']],
  // At midnight, the day begins or ends with the change.
  ['America/Santiago', '2026-08-20', ['2026-09-06 00:00 -04:00, 01:00 -03:00']],
  ['America/Santiago', '2026-03-20', ['2026-04-04 00:00 -03:00, 23:00 -04:00']],
  ['UTC', '2026-10-01', []],
])('the clocks of %s change within 31 days of %s', (timezone, from, expected) => {
  const dates = datesFrom(from, 31)
  const changes = clockChanges(plan(from, 31, `{ cron: "0 2 * * *", timezone: ${timezone} }`), dates)
  const shown = changes.map((change) => {
    const { before, after } = clockAround(change)
    return `${change.date} ${before}, ${after}`
  })
  expect(shown).toEqual(expected)
})

test('days are those of the clock of each schedule, and days off have no run', () => {
  const [tokyo, honolulu] = plan(
    '2026-10-20',
    2,
    '{ cron: "0 1 * * *", timezone: Asia/Tokyo, exclude: { dates: [2026-10-21] } }',
    '{ cron: "0 23 * * *", timezone: Pacific/Honolulu }',
  )
  expect(tokyo?.slots).toEqual([
    { at: Date.parse('2026-10-19T16:00:00Z'), date: '2026-10-20', isOff: false },
    { at: Date.parse('2026-10-20T16:00:00Z'), date: '2026-10-21', isOff: true },
  ])
  expect(honolulu?.slots.map(({ at, date }) => [new Date(at).toISOString(), date])).toEqual([
    ['2026-10-21T09:00:00.000Z', '2026-10-20'],
    ['2026-10-22T09:00:00.000Z', '2026-10-21'],
  ])
})

test('too many slots are refused, not held in memory', () => {
  const each = '{ cron: "* * * * *", timezone: UTC }'
  expect(() => plan('2026-01-01', 366, each)).toThrow('more than 200,000 slots in 366 days')
})

test('the first two days are run in full, each on which clocks change, and the fullest one', () => {
  const berlin = '{ cron: "0 2 * * *", timezone: Europe/Berlin }'
  expect(choose('2026-10-20', 30, [berlin])).toEqual(['2026-10-20 first', '2026-10-21 first', '2026-10-25 clockChange'])
  const sundays = '{ cron: "0 4 * * 0", timezone: UTC }'
  expect(choose('2026-10-26', 14, [berlin, sundays])).toEqual([
    '2026-10-26 first',
    '2026-10-27 first',
    '2026-11-01 fullest',
  ])
  expect(choose('2026-10-20', 3, [berlin], true)).toEqual(['2026-10-20 all', '2026-10-21 all', '2026-10-22 all'])
})

test('a day without slots is not run', () => {
  expect(choose('2026-10-20', 30, ['{ cron: "0 4 1 * *", timezone: UTC }'])).toEqual(['2026-11-01 fullest'])
  expect(choose('2026-10-20', 5, ['{ cron: "0 4 1 * *", timezone: UTC }'])).toEqual([])
})

test('stretches hold each day that is run by every clock, in order and apart from each other', () => {
  const zone = fc.constantFrom('UTC', 'Asia/Tokyo', 'Pacific/Honolulu', 'Europe/Berlin', 'America/New_York')
  const day = fc.integer({ min: 0, max: 40 })
  fc.assert(
    fc.property(
      fc.uniqueArray(day, { minLength: 1, maxLength: 6 }),
      fc.array(zone, { minLength: 1, maxLength: 3 }),
      (picked, zones) => {
        const dates = picked.toSorted((a, b) => a - b).map((at) => dateAfter('2026-10-10', at))
        const schedules = plan(
          '2026-10-10',
          41,
          ...zones.map((timezone) => `{ cron: "0 */6 * * *", timezone: ${timezone} }`),
        )
        const spans = spansOf(
          dates.map((date) => ({ date, why: 'first' })),
          schedules,
        )
        for (let at = 1; at < spans.length; at++) expect(spans[at]!.from).toBeGreaterThan(spans[at - 1]!.to)
        for (const { slots } of schedules)
          for (const slot of slots)
            if (dates.includes(slot.date))
              expect(spans.filter(({ from, to }) => slot.at >= from && slot.at < to)).toHaveLength(1)
      },
    ),
    { numRuns: 50 },
  )
})

test('on a day with too many slots the busiest schedules rest early, and all others run to their end', () => {
  const MOST = 300
  const date = '2026-10-20'
  const everyMinute = plan(date, 2, '{ cron: "* * * * *", timezone: UTC }')
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 1440 }), { minLength: 1, maxLength: 8 }), (counts) => {
      // This many minutes at the end of the day.
      const planned = counts.flatMap((count) =>
        everyMinute.map((one) => ({ ...one, slots: one.slots.slice(1440 - count, 1440) })),
      )
      const shares = sharesOf([{ date, why: 'first' }], planned)
      const share = shares.get(date) ?? 0
      const sum = (most: number) => counts.reduce((all, count) => all + Math.min(count, most), 0)
      expect(sum(share)).toBeLessThanOrEqual(MOST)
      if (Number.isFinite(share)) expect(sum(share + 1)).toBeGreaterThan(MOST)
      for (const one of planned) {
        const rests = restsOf(shares, [one])
        const lived = one.slots.filter(({ at }) => !fallsInRest(rests, { at, startsAt: at }))
        expect(lived).toEqual(one.slots.slice(0, share))
      }
    }),
    { numRuns: 30 },
  )
})
