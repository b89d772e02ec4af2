import { expect, test } from 'vitest'
import { DAY_MS } from '../../../src/core/duration.ts'
import { expandRule } from '../../../src/triggers/schedule/calendar/expand-rule.ts'
import { readRule } from '../../../src/triggers/schedule/calendar/recurrence-rule.ts'

/** The first times of a rule, as text. */
function times(value: string, start: string, most = 4): string[] {
  const rule = readRule({ line: 1, name: 'RRULE', parameters: '', value })
  const found: string[] = []
  for (const at of expandRule(rule, Date.parse(`${start}Z`), { isDate: false, spend: () => undefined })) {
    found.push(new Date(at).toISOString().slice(0, 19))
    if (found.length === most) break
  }
  return found
}

test.each([
  // 2026-11-25 is a Wednesday.
  ['FREQ=DAILY;INTERVAL=2', ['11-25', '11-27', '11-29', '12-01']],
  ['FREQ=WEEKLY', ['11-25', '12-02', '12-09', '12-16']],
  ['FREQ=WEEKLY;BYDAY=MO,WE', ['11-25', '11-30', '12-02', '12-07']],
  ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE', ['11-25', '12-07', '12-09', '12-21']],
  // If weeks begin on Sunday, the Sunday after it is in the next week.
  ['FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,WE', ['11-25', '11-29', '12-09', '12-13']],
  ['FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,WE;WKST=SU', ['11-25', '12-06', '12-09', '12-20']],
  ['FREQ=MONTHLY', ['11-25', '12-25', '2027-01-25', '2027-02-25']],
  ['FREQ=MONTHLY;BYDAY=-1FR', ['11-27', '12-25', '2027-01-29', '2027-02-26']],
  ['FREQ=MONTHLY;BYDAY=1MO', ['12-07', '2027-01-04', '2027-02-01', '2027-03-01']],
  ['FREQ=MONTHLY;BYMONTHDAY=-1', ['11-30', '12-31', '2027-01-31', '2027-02-28']],
  ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', ['11-30', '12-31', '2027-01-29', '2027-02-26']],
  ['FREQ=YEARLY', ['11-25', '2027-11-25', '2028-11-25', '2029-11-25']],
  ['FREQ=YEARLY;BYDAY=1MO', ['2027-01-04', '2028-01-03', '2029-01-01', '2030-01-07']],
  ['FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10', ['2027-10-31', '2028-10-29', '2029-10-28', '2030-10-27']],
  ['FREQ=YEARLY;BYYEARDAY=366', ['2028-12-31', '2032-12-31', '2036-12-31', '2040-12-31']],
  ['FREQ=YEARLY;BYWEEKNO=53', ['12-30', '2032-12-29', '2037-12-30', '2043-12-30']],
  ['FREQ=YEARLY;BYWEEKNO=-1;BYDAY=MO', ['12-28', '2027-12-27', '2028-12-25', '2029-12-24']],
])('%s', (rule, days) => {
  const expected = days.map((day) => `${day.length === 5 ? `2026-${day}` : day}T08:30:15`)
  expect(times(rule, '2026-11-25T08:30:15')).toEqual(expected)
})

test.each([
  ['BYHOUR=9,17', ['25T09:30:15', '25T17:30:15', '26T09:30:15']],
  ['BYHOUR=7', ['26T07:30:15', '27T07:30:15', '28T07:30:15']],
  ['BYMINUTE=45,50', ['25T08:45:15', '25T08:50:15', '26T08:45:15']],
  ['BYSECOND=59,20', ['25T08:30:20', '25T08:30:59', '26T08:30:20']],
  ['BYHOUR=9;BYMINUTE=0,1;BYSECOND=2', ['25T09:00:02', '25T09:01:02', '26T09:00:02']],
])('what a rule leaves open of the time is that of the first one: %s', (part, expected) => {
  expect(times(`FREQ=DAILY;${part}`, '2026-11-25T08:30:15', 3)).toEqual(expected.map((at) => `2026-11-${at}`))
})

test.each([
  ['each day once', 'FREQ=DAILY', 10],
  ['a day with a time of its own, too', 'FREQ=DAILY;BYHOUR=9', 10],
  ['all days of the weeks of some', 'FREQ=WEEKLY;BYDAY=MO,WE', 14],
  ['and each of several times', 'FREQ=DAILY;BYHOUR=9,17', 30],
])('a calendar is charged for %s', (_what, value, expected) => {
  const rule = readRule({ line: 3, name: 'RRULE', parameters: '', value })
  const startMs = Date.parse('2026-11-02T08:30:15Z')
  const charged: number[] = []
  const spend = (steps: number, line: number) => void charged.push(line === 3 ? steps : Number.NaN)
  const toMs = startMs + 9 * DAY_MS
  for (const at of expandRule(rule, startMs, { isDate: false, toMs, spend })) expect(at).toBeLessThanOrEqual(toMs)
  expect(charged.reduce((sum, steps) => sum + steps, 0)).toBe(expected)
})
