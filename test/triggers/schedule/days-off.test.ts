import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { decodeText } from '../../../src/core/decode-text.ts'
import { fileCheck } from '../../../src/policy/enforce.ts'
import { DaysOffError } from '../../../src/triggers/schedule/days-off.ts'
import { parseDaysOff, readDaysOff } from '../../../src/triggers/schedule/read-days-off.ts'
import { timeZone } from '../../../src/triggers/schedule/time-zone.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const newYork = timeZone('America/New_York')

/** The days off of a calendar with these events, from 2026-12-20 to 2027-01-10 and without the year. */
function days(events: string, zone = newYork): string {
  const text = `BEGIN:VCALENDAR\nVERSION:2.0\n${events}\nEND:VCALENDAR\n`
  const off = parseDaysOff('a.ics', { text: text.replaceAll('\n', '\r\n') }, zone)
  return between('2026-12-20', 22)
    .filter((day) => off.has(day))
    .map((day) => day.slice(5))
    .join(' ')
}

function between(first: string, count: number): string[] {
  const start = Date.parse(first)
  return Array.from({ length: count }, (_, index) => new Date(start + index * 86_400_000).toISOString().slice(0, 10))
}

const event = (...lines: string[]) => ['BEGIN:VEVENT', 'UID:1', 'SUMMARY:Holiday', ...lines, 'END:VEVENT'].join('\n')

describe('a calendar', () => {
  const VTIMEZONE = `BEGIN:VTIMEZONE
TZID:Company
BEGIN:STANDARD
DTSTART:19700101T000000
TZOFFSETFROM:+0900
TZOFFSETTO:+0900
END:STANDARD
END:VTIMEZONE`
  test.each([
    ['a day', [event('DTSTART;VALUE=DATE:20261225')], '12-25'],
    [
      'several days: the end is not one of them',
      [event('DTSTART;VALUE=DATE:20261224', 'DTEND;VALUE=DATE:20261227')],
      '12-24 12-25 12-26',
    ],
    ['marked as free time', [event('DTSTART;VALUE=DATE:20261225', 'TRANSP:TRANSPARENT')], '12-25'],
    ['cancelled', [event('DTSTART;VALUE=DATE:20261225', 'STATUS:CANCELLED')], ''],
    ['an hour of a day', [event('DTSTART;TZID=America/New_York:20261231T230000', 'DURATION:PT1H')], '12-31'],
    ['over midnight', [event('DTSTART;TZID=America/New_York:20261231T230000', 'DURATION:PT2H')], '12-31 01-01'],
    ['in UTC', [event('DTSTART:20270101T030000Z', 'DTEND:20270101T040000Z')], '12-31'],
    ['a moment', [event('DTSTART:20270101T050000Z')], '01-01'],
    ['in another zone', [event('DTSTART;TZID=Asia/Tokyo:20270101T090000', 'DURATION:PT1H')], '12-31'],
    [
      'in a zone that the calendar defines',
      [VTIMEZONE, event('DTSTART;TZID=Company:20270101T090000', 'DURATION:PT1H')],
      '12-31',
    ],
    ['in no zone: in that of the schedule', [event('DTSTART:20270101T003000', 'DURATION:PT1H')], '01-01'],
    ['every week', [event('DTSTART;VALUE=DATE:20261102', 'RRULE:FREQ=WEEKLY;BYDAY=MO')], '12-21 12-28 01-04'],
    ['every year since long ago', [event('DTSTART;VALUE=DATE:19701225', 'RRULE:FREQ=YEARLY')], '12-25'],
    ['until a day', [event('DTSTART;VALUE=DATE:20261221', 'RRULE:FREQ=DAILY;COUNT=3')], '12-21 12-22 12-23'],
    [
      'with an exception',
      [event('DTSTART;VALUE=DATE:20261221', 'RRULE:FREQ=DAILY;COUNT=3', 'EXDATE;VALUE=DATE:20261222')],
      '12-21 12-23',
    ],
    ['with more dates', [event('DTSTART;VALUE=DATE:20261221', 'RDATE;VALUE=DATE:20261230')], '12-21 12-30'],
    [
      'one of them moved, to before it',
      [
        event('DTSTART;VALUE=DATE:20261201', 'RRULE:FREQ=WEEKLY'),
        event('RECURRENCE-ID;VALUE=DATE:20270105', 'DTSTART;VALUE=DATE:20261224'),
      ],
      '12-22 12-24 12-29',
    ],
    [
      'one of them cancelled',
      [
        event('DTSTART;VALUE=DATE:20261201', 'RRULE:FREQ=WEEKLY'),
        event('RECURRENCE-ID;VALUE=DATE:20261229', 'DTSTART;VALUE=DATE:20261229', 'STATUS:CANCELLED'),
      ],
      '12-22 01-05',
    ],
    [
      'a long one that repeats',
      [event('DTSTART;VALUE=DATE:20251230', 'DTEND;VALUE=DATE:20260103', 'RRULE:FREQ=YEARLY')],
      '12-30 12-31 01-01 01-02',
    ],
    ['no event', [], ''],
  ])('%s', (_what, events, expected) => {
    expect(days(events.join('\n'))).toBe(expected)
  })

  test('is asked in any order', () => {
    const text = `BEGIN:VCALENDAR\n${event('DTSTART;VALUE=DATE:20201225', 'RRULE:FREQ=YEARLY')}\nEND:VCALENDAR`
    const off = parseDaysOff('a.ics', { text }, newYork)
    expect(['2030-12-25', '2026-12-25', '2026-12-24', '2019-12-25'].map((day) => off.has(day))).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})

describe('what cannot be read is refused, for a day that is overlooked would have a run', () => {
  test.each([
    ['', /not a calendar/],
    ['BEGIN:VCALENDAR\n\ntoken-of-somebody', /^it is not a calendar: line 3 cannot be read$/],
    ['BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VCALENDAR', /not a calendar/],
    [event('DTSTART;VALUE=DATE:20261225'), /does not begin with VCALENDAR/],
  ])('%j', (text, message) => {
    expect(() => parseDaysOff('a.ics', { text }, newYork)).toThrow(message)
  })

  test.each([
    [event(), 'the event at line 3 has no DTSTART'],
    [event('DTSTART;VALUE=DATE:20261325'), 'line 6: the DTSTART of an event is not a date'],
    [event('DTSTART;VALUE=DATE:2026122'), 'line 6: the DTSTART of an event is not a date'],
    [event('DTSTART;TZID=Company Time:20261225T100000'), 'line 6: the time zone of an event is not known'],
    [event('DTSTART:20261225T100000Z', 'RRULE:FREQ=HOURLY'), 'repeats more often than once a day'],
    [
      event('DTSTART;VALUE=DATE:20261225', 'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30'),
      'line 7: the rule of an event never matches a day',
    ],
    [event('DTSTART;VALUE=DATE:20261225', 'RRULE:FREQ=SOMETIMES'), 'line 7: the rule of an event has no known FREQ'],
    [
      event('DTSTART;VALUE=DATE:20261225', 'RRULE:FREQ=MONTHLY;BYMONTHDAY=32'),
      'line 7: the rule of an event has a wrong',
    ],
    [event('DTSTART;VALUE=DATE:20000101', 'DTEND;VALUE=DATE:20300101'), 'lasts longer than 4,000 days'],
  ])('%s', (text, message) => {
    expect(() => days(text)).toThrow(
      expect.toSatisfy((error: Error) => error instanceof DaysOffError && error.message.includes(message)),
    )
  })

  test.each([
    ['UTF-16', Buffer.from(`\ufeff${event('DTSTART;VALUE=DATE:20261225')}`, 'utf16le'), 'it is UTF-16, not UTF-8'],
    ['a workbook', Buffer.from('PK\x03\x04\x14\0\0\0'), 'it is a ZIP archive or an Excel workbook (.xlsx)'],
    ['a page', Buffer.from('<html><body>502</body></html>'), 'it is an HTML or XML page'],
    ['binary data', Buffer.from([1, 2, 3, 4, 0, 5, 6]), 'it is binary data, not text'],
    [
      'a NUL byte',
      Buffer.from(event('DTSTART;VALUE=DATE:20261225\0')),
      'line 4 has a NUL byte: it is binary data, or a damaged text file',
    ],
  ])('a file says what it is: %s', (_what, bytes, message) => {
    for (const path of ['a.ics', 'holidays.txt'])
      expect(() => parseDaysOff(path, decodeText(bytes), newYork)).toThrow(message)
  })

  test.each([
    ['2026-12-25\n2026-02-29\n', 'line 2 is not a date such as 2026-12-25'],
    ['25.12.2026', 'line 1 is not a date'],
    ['0000-12-25', 'line 1 is not a date'],
    ['', 'it is empty'],
    ['\uFEFF\r\n \n', 'it is empty'],
  ])('the text %j', (text, message) => {
    expect(() => parseDaysOff('holidays.txt', { text }, newYork)).toThrow(message)
  })
})

test('a text has one date per line, and comments', () => {
  const text = '\uFEFF# Christmas\r\n2026-12-25 # day\r\n\r\n  2026-12-26\r\n'
  const off = parseDaysOff('holidays.txt', { text }, newYork)
  expect(['2026-12-24', '2026-12-25', '2026-12-26'].map((day) => off.has(day))).toEqual([false, true, true])
})

describe('the file of a schedule that is kept', () => {
  function file() {
    const path = join(tempFolder(), 'holidays.txt')
    const problems: string[] = []
    const roots = { fileRoots: [dirname(path)], ownEnv: [] }
    const off = readDaysOff({
      path,
      timezone: 'UTC',
      checkFile: fileCheck(roots),
      onProblem: ({ message }) => problems.push(message),
    })
    return { path, problems, has: (day: string) => off.has(day) }
  }

  test('is read anew when it changes', () => {
    const { path, has } = file()
    writeFileSync(path, '2026-12-25')
    expect([has('2026-12-25'), has('2026-12-26')]).toEqual([true, false])
    writeFileSync(path, '2026-12-25\n2026-12-26')
    expect(has('2026-12-26')).toBe(true)
  })

  test.each([
    ['vanishes', (path: string) => rmSync(path), 'there is no such file'],
    ['is broken', (path: string) => writeFileSync(path, 'Christmas'), 'line 1 is not a date'],
  ])('holds as it was while it %s, which is told once', (_what, spoil, why) => {
    const { path, problems, has } = file()
    writeFileSync(path, '2026-12-25')
    has('2026-12-25')
    spoil(path)
    expect([has('2026-12-25'), has('2026-12-26')]).toEqual([true, false])
    expect(problems).toEqual([expect.stringContaining(why)])
    writeFileSync(path, '2026-12-26')
    expect(has('2026-12-26')).toBe(true)
  })

  test('is not read through a link that leads out of the folders of the policy, and holds as it was', () => {
    const { path, problems, has } = file()
    writeFileSync(path, '2026-12-25')
    has('2026-12-25')
    const outside = join(tempFolder(), 'other.txt')
    writeFileSync(outside, '2026-12-26')
    renameSync(path, `${path}.mine`)
    symlinkSync(outside, path)
    expect([has('2026-12-25'), has('2026-12-26')]).toEqual([true, false])
    expect(problems).toEqual([`${path} (${outside}) is outside policy.fileRoots of audience.yaml`])
    renameSync(`${path}.mine`, path)
    writeFileSync(path, '2026-12-27')
    expect([has('2026-12-26'), has('2026-12-27')]).toEqual([false, true])
  })

  test('that was never there has no answer', () => {
    const { has, path } = file()
    expect(() => has('2026-12-25')).toThrow(`the days off in ${path} cannot be read: there is no such file`)
  })
})
