import { expect, test } from 'vitest'
import { barParts, runsByDay } from '../../../src/console/client/charts/runs-by-day.ts'
import {
  dayOf,
  fullTimeText,
  lastDays,
  monthAfter,
  monthDays,
  startOfDay,
  timeText,
} from '../../../src/console/client/time/format-time.ts'

const at = (text: string) => Date.parse(text)

test('near midnight, each zone has its own day, in texts, lists and sums', () => {
  const ms = at('2026-11-22T14:59:30Z')
  expect(dayOf(ms, 'Asia/Tokyo')).toBe('2026-11-22')
  expect(dayOf(ms + 60_000, 'Asia/Tokyo')).toBe('2026-11-23')
  expect(dayOf(ms + 60_000, 'America/New_York')).toBe('2026-11-22')
  expect(lastDays(ms + 60_000, 'Asia/Tokyo', 2)).toEqual(['2026-11-22', '2026-11-23'])
  expect(timeText(ms, 'Asia/Tokyo', ms)).toBe('22 Nov, 23:59:30')
  expect(timeText(ms, 'Asia/Tokyo', at('2027-02-01T00:00Z'))).toBe('22 Nov 2026, 23:59:30')
  const hours = [{ at: '2026-11-22T15:00:00Z', succeeded: 0, succeededInPart: 0, failed: 2, cancelled: 0 }]
  expect(runsByDay(hours, ['2026-11-22', '2026-11-23'], 'Asia/Tokyo')).toMatchObject([{ failed: 0 }, { failed: 2 }])
  expect(runsByDay(hours, ['2026-11-22', '2026-11-23'], 'America/New_York')).toMatchObject([
    { failed: 2 },
    { failed: 0 },
  ])
})

test('success in part is a part of its own of the bar of a day', () => {
  const hour = { succeeded: 5, succeededInPart: 2, failed: 1, cancelled: 3 }
  const hours = [1, 2].map((n) => ({ at: `2026-11-22T0${n}:00:00Z`, ...hour }))
  const [day] = runsByDay(hours, ['2026-11-22'], 'UTC')
  expect(day && Object.fromEntries(barParts(day))).toEqual({ failed: 2, other: 6, partial: 4, ok: 6 })
})

test('a repeated hour is told apart by its offset', () => {
  expect(fullTimeText(at('2026-10-25T00:30:00Z'), 'Europe/Berlin')).toBe(
    'Sunday, 25 October 2026, 02:30:00 GMT+2 (Europe/Berlin)',
  )
  expect(fullTimeText(at('2026-10-25T01:30:00Z'), 'Europe/Berlin')).toBe(
    'Sunday, 25 October 2026, 02:30:00 GMT+1 (Europe/Berlin)',
  )
})

test.each([
  ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00Z'],
  ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00Z'],
  ['2026-11-22', 'Asia/Tokyo', '2026-11-21T15:00:00Z'],
  // This day has no midnight: clocks go from 23:59 to 01:00.
  ['2026-09-06', 'America/Santiago', '2026-09-06T04:00:00Z'],
])('%s in %s begins at %s', (day, zone, begin) => {
  expect(startOfDay(day, zone)).toBe(at(begin))
})

test('a month is shown in whole weeks from Monday on', () => {
  const days = monthDays('2026-11')
  expect([days.length, days[0], days.at(-1)]).toEqual([
    42,
    { day: '2026-10-26', isInside: false },
    { day: '2026-12-06', isInside: false },
  ])
  expect([monthAfter('2026-12', 1), monthAfter('2026-01', -1)]).toEqual(['2027-01', '2025-12'])
})
