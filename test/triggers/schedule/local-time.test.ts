import { expect, test } from 'vitest'
import { firstInstantOf } from '../../../src/triggers/schedule/local-time.ts'
import { timeZone } from '../../../src/triggers/schedule/time-zone.ts'

test.each([
  ['an hour of a day', 'Europe/Berlin', '2026-11-28T10:00', '2026-11-28T09:00'],
  ['an hour that comes twice', 'Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30'],
  ['an hour that is left out', 'Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:00'],
  ['the morning of the day that Samoa left out', 'Pacific/Apia', '2011-12-30T00:00', '2011-12-30T10:00'],
  ['its evening, which is in the next day of UTC', 'Pacific/Apia', '2011-12-30T23:30', '2011-12-30T10:00'],
  ['the first minute after it', 'Pacific/Apia', '2011-12-31T00:00', '2011-12-30T10:00'],
])('%s', (_name, zone, local, instant) => {
  expect(firstInstantOf(timeZone(zone), Date.parse(`${local}Z`))).toBe(Date.parse(`${instant}Z`))
})
