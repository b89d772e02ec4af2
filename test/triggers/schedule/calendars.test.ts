import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import oracle from 'rrule'
import { describe, expect, test } from 'vitest'
import { decodeText } from '../../../src/core/decode-text.ts'
import { type DaysOff, DaysOffError } from '../../../src/triggers/schedule/days-off.ts'
import { parseDaysOff } from '../../../src/triggers/schedule/read-days-off.ts'
import { timeZone } from '../../../src/triggers/schedule/time-zone.ts'
import { tries } from '../../support/tries.ts'

const DAY_MS = 86_400_000
const folder = join(import.meta.dirname, '../../fixtures/calendars')
const names = readdirSync(folder).filter((name) => name.endsWith('.ics'))
const zones = ['Europe/Berlin', 'America/New_York'] as const

/** Days are those from November 2026 to December 2027. */
const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Record<
  string,
  Record<(typeof zones)[number] | 'foundBy', string>
>

const read = (bytes: Buffer, zone = 'Europe/Berlin') => parseDaysOff('a.ics', decodeText(bytes), timeZone(zone))
const file = (name: string) => readFileSync(join(folder, name))

function daysOf(off: DaysOff, from = Date.UTC(2026, 10, 1), to = Date.UTC(2028, 0, 1)): string {
  const days: string[] = []
  for (let ms = from; ms < to; ms += DAY_MS) {
    const day = new Date(ms).toISOString().slice(0, 10)
    if (off.has(day)) days.push(day)
  }
  return days.join(' ')
}

const calendar = (...lines: string[]) => Buffer.from(['BEGIN:VCALENDAR', ...lines, 'END:VCALENDAR', ''].join('\r\n'))
const event = (...lines: string[]) => calendar('BEGIN:VEVENT', 'UID:1', ...lines, 'END:VEVENT')
const DATE = 'DTSTART;VALUE=DATE:20261130'
const TIME = 'DTSTART;TZID=Europe/Berlin:20261130T093000'

describe('calendars as programs write them have the days that another program finds in them', () => {
  test('each has its days on record', () => {
    expect(Object.keys(expected)).toEqual(names)
    expect(names.length).toBeGreaterThan(40)
  })

  test.each(names.flatMap((name) => zones.map((zone) => [name, zone] as const)))('%s in %s', (name, zone) => {
    expect(daysOf(read(file(name), zone))).toBe(expected[name]?.[zone])
  })

  test.each(names)('%s, with other line ends and every line folded', (name) => {
    const text = file(name).toString('latin1')
    const folded = text.replaceAll(/\r\n|\r|\n/g, '\n').replaceAll(/([^\n]{3})(?=[^\n])/g, '$1\n ')
    for (const variant of [folded, folded.replaceAll('\n', '\r\n')]) {
      expect(daysOf(read(Buffer.from(variant, 'latin1')))).toBe(expected[name]?.['Europe/Berlin'])
    }
  })
})

test.each<[string, string | RegExp]>([
  ['date-without-value.ics', '2026-12-25'],
  ['dtend-date.ics', '2026-12-25'],
  ['duration-1d.ics', /^line 7: the DURATION of an event cannot be understood$/],
  ['dtstart-cut.ics', /^line 6: the DTSTART of an event is not a date or a time$/],
  ['until-iso.ics', /^line 7: the rule of an event has a wrong UNTIL$/],
  ['rdate-period.ics', '2026-11-20 2026-11-24'],
  ['this-and-future-moved.ics', '2026-11-30 2026-12-07 2026-12-15 2026-12-22 2026-12-29 2027-01-05'],
  ['this-and-future-renamed.ics', '2026-11-30 2026-12-07 2026-12-14 2026-12-21 2026-12-28 2027-01-04'],
  ['no-vtimezone-until-utc.ics', '2026-11-30 2026-12-07 2026-12-14 2026-12-21'],
  ['no-vtimezone-exdate-utc.ics', '2026-11-30 2026-12-07 2026-12-21'],
  ['no-vtimezone-moved-utc.ics', '2026-11-30 2026-12-07 2026-12-16 2026-12-21'],
])('%s', (name, days) => {
  const found = () => daysOf(read(file(`cases/${name}`)))
  if (typeof days === 'string') expect(found()).toBe(days)
  else expect(found).toThrow(days)
})

describe('what is not understood is an error with its line and a repair, and never a day that is silently not off', () => {
  test.each<[string, Buffer, string]>([
    ['a date in ISO form', event('DTSTART:2026-11-30'), 'line 4: the DTSTART'],
    ['a day that does not exist', event('DTSTART;VALUE=DATE:20260229'), 'line 4: the DTSTART'],
    ['a time that does not exist', event('DTSTART:20261130T240000'), 'line 4: the DTSTART'],
    ['a date that says it is a time', event('DTSTART;VALUE=DATE-TIME:20261130'), 'line 4: the DTSTART'],
    ['a time that says it is a date', event('DTSTART;VALUE=DATE:20261130T000000'), 'line 4: the DTSTART'],
    ['another offset', event('DTSTART:20261130T093000+0100'), 'line 4: the DTSTART'],
    ['two starts', event(DATE, DATE), 'line 5: an event has a second DTSTART'],
    ['a start of two days', event('DTSTART;VALUE=DATE:20261130,20261201'), 'line 4: the DTSTART'],
    ['no start', event('SUMMARY:x'), 'the event at line 2 has no DTSTART'],
    ['an end before the start', event(DATE, 'DTEND;VALUE=DATE:20261129'), 'line 5: an event ends before it begins'],
    ['an end of another kind', event(DATE, 'DTEND:20261201T000000Z'), 'line 5: an event begins with a date'],
    ['an end and a duration', event(DATE, 'DTEND:20261201', 'DURATION:P1D'), 'both a DTEND and a DURATION'],
    ['a negative duration', event(DATE, 'DURATION:-P1D'), 'line 5: the DURATION'],
    ['a duration of nothing', event(DATE, 'DURATION:PT'), 'line 5: the DURATION'],
    ['a duration in words', event(DATE, 'DURATION:1 day'), 'line 5: the DURATION'],
    ['an exception in ISO form', event(DATE, 'RRULE:FREQ=DAILY', 'EXDATE:2026-12-01'), 'line 6: the EXDATE'],
    ['no exception', event(DATE, 'RRULE:FREQ=DAILY', 'EXDATE:'), 'line 6: the EXDATE'],
    ['a further date that is cut', event(DATE, 'RDATE;VALUE=DATE:20261201,2026120'), 'line 5: the RDATE'],
    ['a period without a start', event(TIME, 'RDATE;VALUE=PERIOD:/20261201T000000Z'), 'line 5: the RDATE'],
    ['a period from a day on', event(TIME, 'RDATE;VALUE=PERIOD:20261201/20261201T000000Z'), 'line 5: the RDATE'],
    ['a period until a day', event(TIME, 'RDATE;VALUE=PERIOD:20261201T000000Z/20261202'), 'line 5: the RDATE'],
    ['a period of three', event(TIME, 'RDATE;VALUE=PERIOD:20261201T000000Z/PT1H/PT1H'), 'line 5: the RDATE'],
    ['a period without an end', event(TIME, 'RDATE;VALUE=PERIOD:20261201T000000Z'), 'line 5: the RDATE'],
    [
      'an exception in UTC to whole days',
      event(DATE, 'RRULE:FREQ=DAILY', 'EXDATE:20261201T230000Z'),
      'line 6: it is unclear which day',
    ],
    ['another range', event(DATE, 'RECURRENCE-ID;RANGE=THISANDPRIOR:20261130'), 'line 5: the RANGE'],
    ['an exception that repeats', event(DATE, 'RECURRENCE-ID:20261130', 'RRULE:FREQ=DAILY'), 'and repeats itself'],
    ['a zone that nobody knows', event('DTSTART;TZID=Mars/Base:20261130T093000'), 'line 4: the time zone'],
    ['a zone in an end', event(TIME, 'DTEND;TZID=Mars/Base:20261130T103000'), 'line 5: the time zone'],
    ['a zone that is an offset', event('DTSTART;TZID=+01:00:20261130T093000'), 'line 4: the'],
    ['a rule without FREQ', event(DATE, 'RRULE:INTERVAL=2'), 'line 5: the rule of an event has no known FREQ'],
    ['an empty rule', event(DATE, 'RRULE:'), 'line 5: the rule'],
    ['a part that is not known', event(DATE, 'RRULE:FREQ=DAILY;RSCALE=HEBREW'), 'line 5: the rule'],
    ['a part twice', event(DATE, 'RRULE:FREQ=DAILY;COUNT=2;COUNT=3'), 'line 5: the rule'],
    ['COUNT and UNTIL', event(DATE, 'RRULE:FREQ=DAILY;COUNT=2;UNTIL=20270101'), 'both COUNT and UNTIL'],
    ['COUNT of nothing', event(DATE, 'RRULE:FREQ=DAILY;COUNT=0'), 'a wrong COUNT'],
    ['INTERVAL of nothing', event(DATE, 'RRULE:FREQ=DAILY;INTERVAL=0'), 'a wrong INTERVAL'],
    ['a fraction', event(DATE, 'RRULE:FREQ=DAILY;INTERVAL=1.5'), 'a wrong INTERVAL'],
    ['a month 13', event(DATE, 'RRULE:FREQ=YEARLY;BYMONTH=13'), 'a wrong BYMONTH'],
    ['a day 0', event(DATE, 'RRULE:FREQ=MONTHLY;BYMONTHDAY=0'), 'a wrong BYMONTHDAY'],
    ['a weekday in words', event(DATE, 'RRULE:FREQ=WEEKLY;BYDAY=Monday'), 'a wrong BYDAY'],
    ['a day of the month each week', event(DATE, 'RRULE:FREQ=WEEKLY;BYMONTHDAY=1'), 'has BYMONTHDAY'],
    ['a first Monday each week', event(DATE, 'RRULE:FREQ=WEEKLY;BYDAY=1MO'), 'counts days of the week'],
    ['a place of nothing', event(DATE, 'RRULE:FREQ=MONTHLY;BYSETPOS=1'), 'BYSETPOS and no other'],
    ['every hour', event(TIME, 'RRULE:FREQ=HOURLY'), 'more often than once a day'],
    ['every second', event(TIME, 'RRULE:FREQ=SECONDLY'), 'more often than once a day'],
    [
      '30 February',
      event(DATE, 'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30'),
      'line 5: the rule of an event never matches a day',
    ],
    [
      '30 February, daily',
      event(DATE, 'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30'),
      'line 5: the rule of an event never',
    ],
    [
      'never again',
      event(DATE, 'RRULE:FREQ=DAILY;INTERVAL=100000000'),
      'line 5: the rule of an event never matches a day',
    ],
    ['too many times', event(DATE, 'RRULE:FREQ=DAILY;COUNT=999999999'), 'line 5: it takes too long'],
    [
      'every second of a day',
      event(TIME, `RRULE:FREQ=DAILY;BYHOUR=${count(24)};BYMINUTE=${count(60)};BYSECOND=${count(60)}`),
      'line 5: it takes too long',
    ],
    ['too many rules', calendar(...Array.from({ length: 10_000 }, () => rule('FREQ=DAILY')).flat()), 'takes too long'],
    ['a sixth Monday of a month', event(DATE, 'RRULE:FREQ=MONTHLY;BYDAY=MO,6MO'), 'line 5: the rule of an event has'],
    ['a sixth Monday of January', event(DATE, 'RRULE:FREQ=YEARLY;BYMONTH=1;BYDAY=MO,-6MO'), 'line 5: the rule'],
    ['a place 0', event(DATE, 'RRULE:FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0'), 'a wrong BYSETPOS'],
    [
      'an UNTIL that does not exist',
      event(DATE, 'RRULE:FREQ=DAILY;UNTIL=20270230'),
      'line 5: the rule of an event has',
    ],
    ['a duration of weeks and days', event(DATE, 'DURATION:P1W2D'), 'line 5: the DURATION'],
    ['a period of weeks and days', event(TIME, 'RDATE;VALUE=PERIOD:20261201T000000Z/P1W1D'), 'line 5: the RDATE'],
    ['an hour 25', event('DTSTART:20261130T250000'), 'line 4: the DTSTART'],
    ['the year 0', event('DTSTART;VALUE=DATE:00001225'), 'line 4: the DTSTART'],
    ['an exception on 30 February', event(DATE, 'RRULE:FREQ=DAILY', 'EXDATE:20270230'), 'line 6: the EXDATE'],
    ['a further date on 30 February', event(DATE, 'RDATE:20270230'), 'line 5: the RDATE'],
    ['a time of two zones', event('DTSTART;TZID=Asia/Tokyo:20261130T093000Z'), 'line 4: the DTSTART'],
    ['a line that is none', event(DATE, 'Christmas'), 'line 5 cannot be read'],
    ['a file that was cut', Buffer.from(event(DATE).toString().slice(0, -30)), 'begins at line 2 does not end'],
    ['an event in an event', event(DATE, 'BEGIN:VEVENT', DATE, 'END:VEVENT'), 'the event at line 5 is inside'],
    ['an error page', Buffer.from('<!doctype html>\n<title>404</title>'), 'an HTML or XML page'],
    ['UTF-16', Buffer.from(`\ufeff${event(DATE)}`, 'utf16le'), 'not UTF-8'],
    ['nothing', Buffer.from(''), 'it is empty'],
  ])('%s', (_what, bytes, message) => {
    const error = errorOf(() => read(bytes))
    expect(error.message).toContain(message)
    expect(error.hint).toMatch(/\w/)
  })

  const standard = (...lines: string[]) => ['BEGIN:STANDARD', ...lines, 'END:STANDARD']
  const FROM = 'TZOFFSETFROM:+0100'
  const SINCE = 'DTSTART:19700101T000000'
  /** A calendar with an event at line 4, after a definition of its zone that begins at line 9. */
  const zoned = (tzid: string, ...parts: string[][]) =>
    calendar(
      ...['BEGIN:VEVENT', 'UID:1', `DTSTART;TZID=${tzid}:20261130T230000`, 'DURATION:PT30M', 'END:VEVENT'],
      ...parts.flatMap((lines) => ['BEGIN:VTIMEZONE', `TZID:${tzid}`, ...lines, 'END:VTIMEZONE']),
    )

  test.each<[string, Buffer, string]>([
    ...['+9999', '+1401', '-1430', '+2400', '+0160', '+010060', '0100', '01:00', '+1', '+100', 'Z', ''].map(
      (offset): [string, Buffer, string] => [
        `an offset ${offset}`,
        zoned('Office', standard(SINCE, FROM, `TZOFFSETTO:${offset}`)),
        'line 12: the TZOFFSETTO',
      ],
    ),
    [
      'an offset before',
      zoned('Office', standard(SINCE, 'TZOFFSETFROM:+9999', 'TZOFFSETTO:+0100')),
      'line 11: the TZOFFSETFROM',
    ],
    ['no offset', zoned('Office', standard(SINCE, FROM)), 'the part of a time zone at line 9 has no TZOFFSETTO'],
    ['two offsets', zoned('Office', standard(SINCE, FROM, 'TZOFFSETTO:+0100', 'TZOFFSETTO:+0900')), 'line 13: a part'],
    ['no start', zoned('Office', standard(FROM, 'TZOFFSETTO:+0100')), 'at line 9 has no DTSTART'],
    [
      'a start on 30 February',
      zoned('Office', standard('DTSTART:19700230T000000', FROM, 'TZOFFSETTO:+0100')),
      'line 10: the DTSTART',
    ],
    [
      'a start without a time',
      zoned('Office', standard('DTSTART:19700201', FROM, 'TZOFFSETTO:+0100')),
      'line 10: the DTSTART',
    ],
    [
      'a change on 30 February',
      zoned('Office', standard(SINCE, FROM, 'TZOFFSETTO:+0100', 'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30')),
      'line 13: the rule of a time zone never matches a day',
    ],
    [
      'a month 13',
      zoned('Office', standard(SINCE, FROM, 'TZOFFSETTO:+0100', 'RRULE:FREQ=YEARLY;BYMONTH=13')),
      'line 13: the rule of a time zone has a wrong BYMONTH',
    ],
    ['no part', zoned('Office', []), 'the time zone at line 7 has no'],
    [
      'two definitions',
      zoned('Office', standard(SINCE, FROM, 'TZOFFSETTO:+0100'), standard(SINCE, FROM, 'TZOFFSETTO:+0900')),
      'line 15: a second definition',
    ],
    ['an offset of another zone', zoned('Europe/Berlin', standard(SINCE, FROM, 'TZOFFSETTO:+0900')), 'line 12: the'],
    [
      'an offset of another zone, by the name of Windows',
      zoned('W. Europe Standard Time', standard('DTSTART:16010101T000000', FROM, 'TZOFFSETTO:-0500')),
      'line 12: the',
    ],
  ])('a time zone with %s', (_what, bytes, message) => {
    const error = errorOf(() => read(bytes))
    expect(error.message).toContain(message)
    expect(error.hint).toMatch(/\w/)
  })

  test.each<[string, Buffer, string]>([
    ['an offset to the second', zoned('Office', standard(SINCE, FROM, 'TZOFFSETTO:+005328')), '2026-11-30'],
    ['the greatest offset', zoned('Office', standard(SINCE, FROM, 'TZOFFSETTO:+1400')), '2026-11-30'],
    ['a start in UTC', zoned('Office', standard(`${SINCE}Z`, FROM, 'TZOFFSETTO:-0100')), '2026-12-01'],
    [
      'one definition, twice',
      zoned('Office', ...[1, 2].map(() => standard(SINCE, FROM, 'TZOFFSETTO:-0100'))),
      '2026-12-01',
    ],
    ['a known name and no part', zoned('Asia/Tokyo', []), '2026-11-30'],
    [
      'the rules that a zone had long ago',
      zoned(
        'Europe/Istanbul',
        standard(SINCE, 'TZOFFSETFROM:+0300', 'TZOFFSETTO:+0200', 'RRULE:FREQ=YEARLY;BYMONTH=10'),
      ),
      '2026-11-30',
    ],
    [
      'the local time of before there were zones',
      zoned('America/Juneau', [
        ...standard('DTSTART:18671018T000000', 'TZOFFSETFROM:+150219', 'TZOFFSETTO:-085741'),
        ...standard('DTSTART:19831130T000000', 'TZOFFSETFROM:-0900', 'TZOFFSETTO:-0900'),
      ]),
      '2026-12-01',
    ],
  ])('but a time zone with %s is understood', (_what, bytes, day) => {
    expect(daysOf(read(bytes))).toBe(day)
  })

  test('a time or an offset of any digits is itself, or the error of its line', () => {
    const two = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, '0'))
    const times = fc.tuple(two(13), two(32), two(25), two(61), two(61))
    const offsets = fc.tuple(fc.constantFrom('+', '-', ''), two(25), two(61))
    fc.assert(
      fc.property(times, offsets, ([month, day, hour, minute, second], [sign, hours, minutes]) => {
        const at = new Date(`2026-${month}-${day}T${hour}:${minute}:${second.replace('60', '59')}Z`)
        const isTime =
          !Number.isNaN(at.getTime()) && at.getUTCDate() === Number(day) && Number(hour) < 24 && Number(second) < 61
        const isOffset = sign !== '' && Number(hours) * 60 + Number(minutes) <= 14 * 60 && Number(minutes) < 60
        const bytes = calendar(
          ...['BEGIN:VTIMEZONE', 'TZID:Office', 'BEGIN:STANDARD', SINCE, FROM, `TZOFFSETTO:${sign}${hours}${minutes}`],
          ...['END:STANDARD', 'END:VTIMEZONE', 'BEGIN:VEVENT'],
          ...[`DTSTART;TZID=Office:2026${month}${day}T${hour}${minute}${second}`, 'END:VEVENT'],
        )
        if (!isTime) expect(errorOf(() => read(bytes, 'UTC')).message).toMatch(/^line 11: the DTSTART/)
        else if (!isOffset) expect(errorOf(() => read(bytes, 'UTC')).message).toMatch(/^line 7: the TZOFFSETTO/)
        else {
          const aheadMs = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1)
          const instant = new Date(at.getTime() - aheadMs).toISOString().slice(0, 10)
          expect(daysOf(read(bytes, 'UTC'), Date.UTC(2025, 11, 1), Date.UTC(2027, 1, 1))).toBe(instant)
        }
      }),
      { numRuns: tries(200, 20_000) },
    )
  })

  test('an error quotes nothing of a file that is perhaps a secret', () => {
    for (const text of ['secret-token', 'SECRET-TOKEN:x', 'BEGIN:SECRET-TOKEN', 'BEGIN:VCALENDAR\nEND:SECRET-TOKEN']) {
      const error = errorOf(() => read(Buffer.from(text)))
      expect(`${error.message} ${error.hint}`).not.toMatch(/secret/i)
    }
  })
})

test.each<[string, string[], string]>([
  [
    'an end without a zone is by that of the start',
    ['DTSTART;TZID=Asia/Tokyo:20270105T060000', 'DTEND:20270105T090000'],
    '2027-01-04 2027-01-05',
  ],
  ...['Japan', 'Asia/Tokyo', 'mozilla.org/20071231_1/Asia/Tokyo'].map((name): [string, string[], string] => [
    `a zone may stand at the end of a name, as in /${name}`,
    [`DTSTART;TZID=/example.org/${name}:20270105T060000`, 'DURATION:PT3H'],
    '2027-01-04 2027-01-05',
  ]),
  [
    'a zone of three parts, too',
    ['DTSTART;TZID=/example.org/America/Argentina/Salta:20270105T194500', 'DURATION:PT30M'],
    '2027-01-05 2027-01-06',
  ],
  ['a date among times is that day', [TIME, 'RDATE;VALUE=DATE:20270105'], '2026-11-30 2027-01-05'],
  [
    'a date takes out the time on it',
    [TIME, 'RRULE:FREQ=DAILY;COUNT=3', 'EXDATE;VALUE=DATE:20261201'],
    '2026-11-30 2026-12-02',
  ],
  ['midnight takes out the day', [DATE, 'RRULE:FREQ=DAILY;COUNT=3', 'EXDATE:20261201T000000'], '2026-11-30 2026-12-02'],
  ['UNTIL as a date is that whole day', [TIME, 'RRULE:FREQ=DAILY;UNTIL=20261202'], '2026-11-30 2026-12-01 2026-12-02'],
  [
    'UNTIL as a time of whole days',
    [DATE, 'RRULE:FREQ=DAILY;UNTIL=20261202T225959Z'],
    '2026-11-30 2026-12-01 2026-12-02',
  ],
  [
    'the first time counts, whatever the rule',
    [DATE, 'RRULE:FREQ=WEEKLY;BYDAY=TH;UNTIL=20261210'],
    '2026-11-30 2026-12-03 2026-12-10',
  ],
  ['an end at the start is one day', [DATE, 'DTEND;VALUE=DATE:20261130'], '2026-11-30'],
  ['a rule with a semicolon too many', [DATE, 'RRULE:FREQ=DAILY;COUNT=2;'], '2026-11-30 2026-12-01'],
])('%s', (_what, lines, days) => {
  expect(daysOf(read(event(...lines)))).toBe(days)
})

test('a zone may have commas in its name, which its definition escapes', () => {
  const bytes = calendar(
    ...['BEGIN:VTIMEZONE', String.raw`TZID:(UTC+09:00) Osaka\, Sapporo\, Tokyo`, 'BEGIN:STANDARD'],
    ...['DTSTART:16010101T000000', 'TZOFFSETFROM:+0900', 'TZOFFSETTO:+0900', 'END:STANDARD', 'END:VTIMEZONE'],
    ...[
      'BEGIN:VEVENT',
      'DTSTART;TZID="(UTC+09:00) Osaka, Sapporo, Tokyo":20270105T060000',
      'DURATION:PT1H',
      'END:VEVENT',
    ],
  )
  expect(daysOf(read(bytes))).toBe('2027-01-04')
})

test('carriage returns without end are lines without end, and no search without end', () => {
  const text = event(DATE)
    .toString()
    .replace('BEGIN:VEVENT', `${'\r'.repeat(1_000_000)}BEGIN:VEVENT`)
  expect(daysOf(read(Buffer.from(text)))).toBe('2026-11-30')
  const error = errorOf(() => read(Buffer.from(text.replace('DTSTART', 'DTSTART;VALUE=X'))))
  expect(error.message).toContain('line 1000004: the DTSTART')
})

test.each([
  [['SEQUENCE:1'], 'SEQUENCE:2'],
  [['SEQUENCE:0'], 'SEQUENCE:1'],
  [[], 'SEQUENCE:1'],
  [['SEQUENCE:first'], 'SEQUENCE:1'],
])('of two changes of one occurrence, the last counts: after %j comes %s', (before, after) => {
  const change = (day: number, lines: readonly string[]) => [
    ...['BEGIN:VEVENT', 'UID:1', ...lines, 'RECURRENCE-ID:20261201', `DTSTART:202612${day}`, 'END:VEVENT'],
  ]
  const series = ['BEGIN:VEVENT', 'UID:1', DATE, 'RRULE:FREQ=DAILY;COUNT=2', 'END:VEVENT']
  const [first, last] = [change(17, before), change(24, [after])]
  for (const changes of [first.concat(last), last.concat(first)])
    expect(daysOf(read(calendar(...series, ...changes)))).toBe('2026-11-30 2026-12-24')
})

test('rules mean what an independent library makes of them', () => {
  const { RRule } = oracle
  const some = (from: number, to: number) =>
    fc.option(
      fc.uniqueArray(
        fc.integer({ min: from, max: to }).filter((n) => n !== 0),
        { minLength: 1, maxLength: 3 },
      ),
      {
        nil: undefined,
      },
    )
  const weekdays = fc.uniqueArray(fc.constantFrom('MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'), {
    minLength: 1,
    maxLength: 3,
  })
  const rules = fc
    .record({
      freq: fc.constantFrom('YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY'),
      interval: fc.integer({ min: 1, max: 4 }),
      months: some(1, 12),
      monthDays: some(-31, 31),
      yearDays: some(-366, 366),
      weeks: some(-53, 53),
      weekdays: fc.option(weekdays, { nil: undefined }),
      nth: fc.option(
        fc.integer({ min: -5, max: 5 }).filter((n) => n !== 0),
        { nil: undefined },
      ),
      // With more than one, the library counts a day twice or returns the first as the second to last.
      position: fc.option(fc.constantFrom(-1, 1, 2), { nil: undefined }),
      weekStart: fc.constantFrom('MO', 'SU', 'WE'),
      end: fc.constantFrom('', ';COUNT=7', ';UNTIL=20270615'),
    })
    .map(({ freq, interval, months, monthDays, yearDays, weeks, weekdays: days, nth, position, weekStart, end }) => {
      const parts = [`FREQ=${freq}`, `INTERVAL=${interval}`, `WKST=${weekStart}`]
      const isYearly = freq === 'YEARLY'
      if (months) parts.push(`BYMONTH=${months}`)
      if (monthDays && freq !== 'WEEKLY') parts.push(`BYMONTHDAY=${monthDays}`)
      if (yearDays && isYearly && !monthDays) parts.push(`BYYEARDAY=${yearDays}`)
      // For weeks without days of the week, the library uses all seven days, but RFC 5545 uses the day of the first
      // time.
      const byWeek = weeks && isYearly && !monthDays && !yearDays && days
      if (byWeek) parts.push(`BYWEEKNO=${weeks}`)
      if (days)
        parts.push(
          `BYDAY=${days.map((day) => `${(isYearly || freq === 'MONTHLY') && !byWeek ? (nth ?? '') : ''}${day}`)}`,
        )
      // In the first week, the library leaves out the days before the first time.
      if (position && freq !== 'WEEKLY' && (months || days)) parts.push(`BYSETPOS=${position}`)
      return parts.join(';') + end
    })
  fc.assert(
    fc.property(rules, fc.integer({ min: 0, max: 1500 }), (text, before) => {
      const start = Date.UTC(2026, 10, 1) - before * DAY_MS
      const written = new Date(start).toISOString().slice(0, 10)
      let off: DaysOff
      try {
        off = read(event(`DTSTART;VALUE=DATE:${written.replaceAll('-', '')}`, `RRULE:${text}`))
      } catch (error) {
        // The library would search up to the year 9999.
        expect(String(error)).toContain('never matches a day')
        return
      }
      const options = RRule.parseString(text)
      const found = new RRule({ until: new Date(Date.UTC(2028, 0, 1)), ...options, dtstart: new Date(start) }).between(
        new Date(Date.UTC(2026, 10, 1)),
        new Date(Date.UTC(2027, 11, 31)),
        true,
      )
      const days = new Set(found.map((date) => date.toISOString().slice(0, 10)))
      if (start >= Date.UTC(2026, 10, 1)) days.add(written)
      expect(daysOf(off)).toBe([...days].sort().join(' '))
    }),
    { numRuns: tries(50, 1000) },
  )
})

test('whatever a file holds, it has days or one error; it never throws later, nor searches without end', () => {
  const whole = fc
    .constantFrom(...names, ...readdirSync(join(folder, 'cases')).map((name) => `cases/${name}`))
    .map(file)
  const damage = fc.oneof(
    fc.record({ at: fc.nat(), put: fc.uint8Array({ maxLength: 4 }), cut: fc.integer({ min: 0, max: 9 }) }),
    fc.record({
      at: fc.nat(),
      put: fc
        .constantFrom(
          '-',
          '0',
          '9',
          'T',
          'Z',
          ';',
          ':',
          ',',
          '"',
          '\r\n',
          '\n ',
          '99999999',
          'P',
          '/',
          '=',
          '\0',
          'FREQ=DAILY;',
        )
        .map((text) => Buffer.from(text)),
      cut: fc.integer({ min: 0, max: 4 }),
    }),
  )
  const mutated = fc.tuple(whole, fc.array(damage, { minLength: 1, maxLength: 4 })).map(([bytes, damages]) =>
    damages.reduce((text, { at, put, cut }) => {
      const place = at % (text.length + 1)
      return Buffer.concat([text.subarray(0, place), put, text.subarray(place + cut)])
    }, bytes),
  )
  const random = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))
  fc.assert(
    fc.property(fc.oneof({ weight: 9, arbitrary: mutated }, { weight: 1, arbitrary: random }), (bytes) => {
      let off: DaysOff
      try {
        off = read(bytes)
      } catch (error) {
        expect(error).toBeInstanceOf(DaysOffError)
        expect((error as Error).message).not.toContain('reading it failed')
        return
      }
      for (const day of ['1000-01-01', '2026-12-25', '2027-02-28', '2199-12-31', '9999-12-31']) off.has(day)
    }),
    { numRuns: tries(1000, 20_000) },
  )
})

function errorOf(action: () => unknown): DaysOffError {
  try {
    action()
  } catch (error) {
    if (error instanceof DaysOffError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

function count(to: number): string {
  return Array.from({ length: to }, (_, index) => index).join(',')
}

function rule(text: string): string[] {
  return ['BEGIN:VEVENT', DATE, `RRULE:${text}`, 'END:VEVENT']
}
