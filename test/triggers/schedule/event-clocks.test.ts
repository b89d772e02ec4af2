import { expect, test } from 'vitest'
import { clockOf } from '../../../src/triggers/schedule/calendar/event-clocks.ts'
import { timeZone } from '../../../src/triggers/schedule/time-zone.ts'

test.each([
  ['on a day without a change', '2026-02-10T02:30', '2026-02-10T07:30'],
  ['just before the gap', '2026-03-08T01:59', '2026-03-08T06:59'],
  ['in the gap: by the offset before it', '2026-03-08T02:30', '2026-03-08T07:30'],
  ['just after the gap', '2026-03-08T03:00', '2026-03-08T07:00'],
  ['that comes twice: the first one', '2026-11-01T01:30', '2026-11-01T05:30'],
  ['after it', '2026-11-01T02:00', '2026-11-01T07:00'],
])('a time of New York %s', (_what, local, instant) => {
  const { instantOf, localOf } = clockOf(timeZone('America/New_York'))
  const [localMs, ms] = [Date.parse(`${local}Z`), Date.parse(`${instant}Z`)]
  expect(instantOf(localMs)).toBe(ms)
  // What is in the gap is shown as an hour later.
  expect(localOf(ms)).toBe(local === '2026-03-08T02:30' ? localMs + 3_600_000 : localMs)
})
