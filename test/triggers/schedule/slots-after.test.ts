import { describe, expect, test } from 'vitest'
import { timeZone } from '../../../src/triggers/schedule/time-zone.ts'
import { isLong } from '../../support/is-long.ts'
import { written } from './slots.ts'

/**
 * `otherwise` has the slots with the `repeatedHour` that the line does not have by itself: `twice` for fixed times,
 * `once` for an interval.
 */
type Row = [what: string, cron: string, from: string, to: string, slots: string[], otherwise?: string[]]

const ZONES: Record<string, Row[]> = {
  'America/Scoresbysund': [
    [
      'clocks that go back at midnight repeat the evening, also of a schedule that comes long after',
      '30 23 26 10 *',
      '2024-10-20T00:00Z',
      '2024-11-20T00:00Z',
      ['2024-10-27T00:30Z'],
      ['2024-10-27T00:30Z', '2024-10-27T01:30Z'],
    ],
  ],
  'America/New_York': [
    [
      'a slot in the gap runs just after it',
      '30 2 * * *',
      '2026-03-07T12:00Z',
      '2026-03-09T12:00Z',
      ['2026-03-08T07:00Z', '2026-03-09T06:30Z'],
    ],
    ['the end of the gap', '0 3 * * *', '2026-03-07T12:00Z', '2026-03-09T00:00Z', ['2026-03-08T07:00Z']],
    [
      'several slots in the gap are one',
      '0,20,40 2 * * *',
      '2026-03-08T00:00Z',
      '2026-03-08T12:00Z',
      ['2026-03-08T07:00Z'],
    ],
    ['an interval within the gap has none', '*/20 2 * * *', '2026-03-08T00:00Z', '2026-03-08T12:00Z', []],
    [
      'an hour that is left out is not made up for, because the next one has its own slot',
      '15 * * * *',
      '2026-03-08T06:00Z',
      '2026-03-08T09:00Z',
      ['2026-03-08T06:15Z', '2026-03-08T07:15Z', '2026-03-08T08:15Z'],
    ],
    [
      'nor is the second hour of every other one',
      '0 */2 * * *',
      '2026-03-08T05:00Z',
      '2026-03-08T11:00Z',
      ['2026-03-08T05:00Z', '2026-03-08T08:00Z', '2026-03-08T10:00Z'],
    ],
    [
      'a range of hours is made of fixed times',
      '15 0-23 * * *',
      '2026-03-08T06:00Z',
      '2026-03-08T08:00Z',
      ['2026-03-08T06:15Z', '2026-03-08T07:00Z', '2026-03-08T07:15Z'],
    ],
    [
      'every hour is every hour that passes',
      '0 * * * *',
      '2026-11-01T04:00Z',
      '2026-11-01T08:00Z',
      ['2026-11-01T04:00Z', '2026-11-01T05:00Z', '2026-11-01T06:00Z', '2026-11-01T07:00Z'],
      ['2026-11-01T04:00Z', '2026-11-01T05:00Z', '2026-11-01T07:00Z'],
    ],
    [
      'minutes of an hour that comes twice',
      '*/30 1 * * *',
      '2026-11-01T04:00Z',
      '2026-11-01T08:00Z',
      ['2026-11-01T05:00Z', '2026-11-01T05:30Z', '2026-11-01T06:00Z', '2026-11-01T06:30Z'],
      ['2026-11-01T05:00Z', '2026-11-01T05:30Z'],
    ],
    [
      'an interval goes over the gap',
      '*/30 * * * *',
      '2026-03-08T06:00Z',
      '2026-03-08T08:00Z',
      ['2026-03-08T06:00Z', '2026-03-08T06:30Z', '2026-03-08T07:00Z', '2026-03-08T07:30Z'],
    ],
    [
      'a repeated slot runs the first time',
      '30 1 * * *',
      '2026-10-31T12:00Z',
      '2026-11-02T12:00Z',
      ['2026-11-01T05:30Z', '2026-11-02T06:30Z'],
      ['2026-11-01T05:30Z', '2026-11-01T06:30Z', '2026-11-02T06:30Z'],
    ],
    [
      'an interval',
      '*/30 * * * *',
      '2026-11-01T05:00Z',
      '2026-11-01T07:30Z',
      ['2026-11-01T05:00Z', '2026-11-01T05:30Z', '2026-11-01T06:00Z', '2026-11-01T06:30Z', '2026-11-01T07:00Z'],
      ['2026-11-01T05:00Z', '2026-11-01T05:30Z', '2026-11-01T07:00Z'],
    ],
    [
      'asked within the second pass',
      '*/30 * * * *',
      '2026-11-01T06:10Z',
      '2026-11-01T07:10Z',
      ['2026-11-01T06:30Z', '2026-11-01T07:00Z'],
      ['2026-11-01T07:00Z'],
    ],
    ['the end of the repeated hour', '0 2 * * *', '2026-10-31T12:00Z', '2026-11-02T00:00Z', ['2026-11-01T07:00Z']],
  ],
  'Europe/Berlin': [
    [
      'a slot in the gap',
      '30 2 * * *',
      '2026-03-28T12:00Z',
      '2026-03-30T12:00Z',
      ['2026-03-29T01:00Z', '2026-03-30T00:30Z'],
    ],
    [
      'a repeated slot',
      '30 2 * * *',
      '2026-10-24T12:00Z',
      '2026-10-26T12:00Z',
      ['2026-10-25T00:30Z', '2026-10-26T01:30Z'],
      ['2026-10-25T00:30Z', '2026-10-25T01:30Z', '2026-10-26T01:30Z'],
    ],
    [
      'asked between the two passes',
      '30 2 * * *',
      '2026-10-25T00:40Z',
      '2026-10-26T12:00Z',
      ['2026-10-26T01:30Z'],
      ['2026-10-25T01:30Z', '2026-10-26T01:30Z'],
    ],
  ],
  'America/Sao_Paulo': [
    [
      'no changes in 2026',
      '0 0 * * 0',
      '2026-10-30T00:00Z',
      '2026-11-10T00:00Z',
      ['2026-11-01T03:00Z', '2026-11-08T03:00Z'],
    ],
    [
      'the gap at midnight of 2018',
      '30 0 * * *',
      '2018-11-03T12:00Z',
      '2018-11-05T12:00Z',
      ['2018-11-04T03:00Z', '2018-11-05T02:30Z'],
    ],
    [
      'midnight itself',
      '0 0 * * *',
      '2018-11-03T12:00Z',
      '2018-11-05T12:00Z',
      ['2018-11-04T03:00Z', '2018-11-05T02:00Z'],
    ],
    [
      'the hour before midnight comes twice',
      '30 23 * * *',
      '2018-02-17T12:00Z',
      '2018-02-19T12:00Z',
      ['2018-02-18T01:30Z', '2018-02-19T02:30Z'],
      ['2018-02-18T01:30Z', '2018-02-18T02:30Z', '2018-02-19T02:30Z'],
    ],
    ['midnight after it comes once', '0 0 * * *', '2018-02-17T12:00Z', '2018-02-19T00:00Z', ['2018-02-18T03:00Z']],
  ],
  'Australia/Lord_Howe': [
    [
      'half an hour is left out',
      '15 2 * * *',
      '2026-10-03T12:00Z',
      '2026-10-05T12:00Z',
      ['2026-10-03T15:30Z', '2026-10-04T15:15Z'],
    ],
    ['after it', '45 2 * * *', '2026-10-03T12:00Z', '2026-10-04T12:00Z', ['2026-10-03T15:45Z']],
    [
      'half an hour comes twice',
      '45 1 * * *',
      '2026-04-04T12:00Z',
      '2026-04-06T12:00Z',
      ['2026-04-04T14:45Z', '2026-04-05T15:15Z'],
      ['2026-04-04T14:45Z', '2026-04-04T15:15Z', '2026-04-05T15:15Z'],
    ],
    ['before it', '15 1 * * *', '2026-04-04T12:00Z', '2026-04-05T12:00Z', ['2026-04-04T14:15Z']],
    [
      'an interval',
      '*/15 * * * *',
      '2026-04-04T14:30Z',
      '2026-04-04T15:45Z',
      ['2026-04-04T14:30Z', '2026-04-04T14:45Z', '2026-04-04T15:00Z', '2026-04-04T15:15Z', '2026-04-04T15:30Z'],
      ['2026-04-04T14:30Z', '2026-04-04T14:45Z', '2026-04-04T15:30Z'],
    ],
  ],
  'Asia/Kathmandu': [
    [
      'a quarter to and no changes',
      '30 2 * * *',
      '2026-03-28T00:00Z',
      '2026-03-30T00:00Z',
      ['2026-03-28T20:45Z', '2026-03-29T20:45Z'],
    ],
    ['in autumn', '0 0 1 11 *', '2026-10-01T00:00Z', '2026-12-01T00:00Z', ['2026-10-31T18:15Z']],
  ],
  'Pacific/Apia': [
    [
      'a day that was left out runs at its end',
      '0 12 30 12 *',
      '2011-12-01T00:00Z',
      '2012-12-01T00:00Z',
      ['2011-12-30T10:00Z'],
    ],
  ],
  UTC: [
    [
      'leap days over a century',
      '0 0 29 2 *',
      '2092-01-01T00:00Z',
      '2109-01-01T00:00Z',
      ['2092-02-29T00:00Z', '2096-02-29T00:00Z', '2104-02-29T00:00Z', '2108-02-29T00:00Z'],
    ],
    [
      'the day of the month or of the week',
      '0 0 13 * 5',
      '2026-02-01T00:00Z',
      '2026-02-21T00:00Z',
      ['2026-02-06T00:00Z', '2026-02-13T00:00Z', '2026-02-20T00:00Z'],
    ],
    [
      'the last day of a month',
      '0 0 31 * *',
      '2026-01-01T00:00Z',
      '2026-06-01T00:00Z',
      ['2026-01-31T00:00Z', '2026-03-31T00:00Z', '2026-05-31T00:00Z'],
    ],
  ],
}

describe.each(Object.entries(ZONES))('%s', (zone, rows) => {
  test.each(rows)('%s: %s', (_what, cron, from, to, slots, otherwise = slots) => {
    const [own, other] = /^\S*\*|^\S+ \S*\*/.test(cron) ? (['twice', 'once'] as const) : (['once', 'twice'] as const)
    expect(written({ cron, zone }, from, to)).toEqual(slots)
    expect(written({ cron, zone, repeatedHour: own }, from, to)).toEqual(slots)
    expect(written({ cron, zone, repeatedHour: other }, from, to)).toEqual(otherwise)
  })
})

test('no zone changes its clocks there and back within a day of UTC, which is where changes are looked for', () => {
  const [from, to] = isLong ? [2025, 2028] : [2026, 2027]
  const wrong = Intl.supportedValuesOf('timeZone').filter((name) => {
    const { offsetAt } = timeZone(name)
    let before = offsetAt(Date.UTC(from, 0, 1))
    for (let day = Date.UTC(from, 0, 1); day < Date.UTC(to, 0, 1); day += 86_400_000) {
      const after = offsetAt(day + 86_400_000)
      if (before === after && offsetAt(day + 43_200_000) !== before) return true
      before = after
    }
    return false
  })
  expect(wrong).toEqual([])
})
