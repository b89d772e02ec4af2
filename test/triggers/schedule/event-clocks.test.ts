import { expect, test } from 'vitest'
import { HOUR_MS } from '../../../src/core/duration.ts'
import { clockOf } from '../../../src/triggers/schedule/calendar/event-clocks.ts'
import { timeZone } from '../../../src/triggers/schedule/time-zone.ts'

test.each([
  ['America/New_York', 'on a day without a change', '2026-02-10T02:30', '2026-02-10T07:30'],
  ['America/New_York', 'just before the gap', '2026-03-08T01:59', '2026-03-08T06:59'],
  ['America/New_York', 'in the gap: by the offset before it', '2026-03-08T02:30', '2026-03-08T07:30'],
  ['America/New_York', 'just after the gap', '2026-03-08T03:00', '2026-03-08T07:00'],
  ['America/New_York', 'that comes twice: the first one', '2026-11-01T01:30', '2026-11-01T05:30'],
  ['America/New_York', 'after it', '2026-11-01T02:00', '2026-11-01T07:00'],
  // When clocks change there, it is still the day before in UTC.
  ['Pacific/Auckland', 'on a day without a change', '2026-02-10T02:30', '2026-02-09T13:30'],
  ['Pacific/Auckland', 'just before the gap', '2026-09-27T01:59', '2026-09-26T13:59'],
  ['Pacific/Auckland', 'in the gap: by the offset before it', '2026-09-27T02:30', '2026-09-26T14:30'],
  ['Pacific/Auckland', 'just after the gap', '2026-09-27T03:00', '2026-09-26T14:00'],
  ['Pacific/Auckland', 'that comes twice: the first one', '2026-04-05T02:30', '2026-04-04T13:30'],
  ['Pacific/Auckland', 'after it', '2026-04-05T03:00', '2026-04-04T15:00'],
  // When clocks change here, it is already the day after in UTC.
  ['America/Nuuk', 'just before the gap', '2022-03-26T21:59', '2022-03-27T00:59'],
  ['America/Nuuk', 'in the gap: by the offset before it', '2022-03-26T22:30', '2022-03-27T01:30'],
  ['America/Nuuk', 'just after the gap', '2022-03-26T23:00', '2022-03-27T01:00'],
  ['America/Nuuk', 'that comes twice: the first one', '2022-10-29T22:30', '2022-10-30T00:30'],
  ['America/Nuuk', 'after it', '2022-10-29T23:00', '2022-10-30T02:00'],
])('a time of %s %s', (zone, what, local, instant) => {
  const { instantOf, localOf } = clockOf(timeZone(zone))
  const [localMs, ms] = [Date.parse(`${local}Z`), Date.parse(`${instant}Z`)]
  expect(instantOf(localMs)).toBe(ms)
  // A time in the gap is shown an hour later.
  expect(localOf(ms)).toBe(what.startsWith('in the gap') ? localMs + HOUR_MS : localMs)
})
