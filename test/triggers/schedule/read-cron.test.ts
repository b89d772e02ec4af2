import { CronTime } from 'cron'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isCron, readCron } from '../../../src/triggers/schedule/read-cron.ts'
import { slotsBetween } from './slots.ts'

describe('what is refused', () => {
  const FIVE = 'the cron expression must have five fields: minute, hour, day, month, day of the week'
  const MINUTE = 'the minute goes from 0 to 59, such as 1, 1-5 or */5'
  const MONTH = 'the month goes from 1 to 12, such as feb or jan-may'
  const WEEKDAY = 'the day of the week goes from 0 to 7, such as mon or sun-thu'
  const DAY = 'the day of the month goes from 1 to 31, such as 2, 2-6 or */5'
  test.each([
    ['61 * * * *', '61', 'the minute cannot be 61', MINUTE],
    ['0 24 * * *', '24', 'the hour cannot be 24', 'the hour goes from 0 to 23, such as 1, 1-5 or */5'],
    ['0 0 0 * *', '0', 'the day of the month cannot be 0', DAY],
    ['0 0 1,32 * *', '32', 'the day of the month cannot be 32', DAY],
    ['0 0 * 13 *', '13', 'the month cannot be 13', MONTH],
    ['0 0 * * 8', '8', 'the day of the week cannot be 8', WEEKDAY],
    ['0 0 * foo *', 'foo', 'the month cannot be foo', MONTH],
    ['0 0 * * feb', 'feb', 'the day of the week cannot be feb', WEEKDAY],
    ['5-70 * * * *', '5-70', 'the minute cannot be 70', MINUTE],
    ['1,,2 * * * *', ',', 'the minute cannot be ""', MINUTE],
    [
      '0 0 L * *',
      'L',
      'the day of the month cannot be L',
      'write 28-31, and give the trigger this `if`: ${{ addDays(trigger.date, 1).endsWith("-01") }}',
    ],
    ['0 0 ? * *', '?', 'the day of the month cannot be "?"', 'write * for any day'],
    [
      '0 0 15W * *',
      '15W',
      'the day of the month cannot be 15W',
      'write 15: a day at the weekend is not moved to another day',
    ],
    [
      '0 0 * * 5#2',
      '5#2',
      'the day of the week cannot be "5#2"',
      'write 5, and give the trigger this `if`: ${{ (int(trigger.date.substring(8)) + 6) / 7 == 2 }}',
    ],
    [
      '0 0 * * friL',
      'friL',
      'the day of the week cannot be friL',
      'write fri, and give the trigger this `if`: ${{ !addDays(trigger.date, 7).startsWith(trigger.date.substring(0, 7)) }}',
    ],
    ['0 0 * * mon-fry', 'mon-fry', 'the day of the week cannot be fry', 'did you mean fri?'],
    ['0 0 * * thurs', 'thurs', 'the day of the week cannot be thurs', 'did you mean thu?'],
    ['*/0 * * * *', '*/0', 'the minute */0 has a step of zero', 'such as 1, 1-5 or */5'],
    ['0 22-4 * * *', '22-4', 'the hour 22-4 goes backwards', 'write 22-23,0-4'],
    ['0 2 * *', '0 2 * *', FIVE, 'such as "0 2 * * *", every day at two'],
    ['0 0 2 * * *', '0 0 2 * * *', FIVE, 'write "0 2 * * *"'],
    ['0 0 2 * * ? 2026', '0 0 2 * * ? 2026', FIVE, 'such as "0 2 * * *", every day at two'],
    ['@daily', '@daily', FIVE, 'write "0 0 * * *"'],
    ['@Weekly ', '@Weekly ', FIVE, 'write "0 0 * * 0"'],
    ['@reboot', '@reboot', FIVE, 'such as "0 2 * * *", every day at two'],
    [
      '0 0 31 2 *',
      '0 0 31 2 *',
      'the schedule never fires: there is no 31 February',
      'the day of the month can be at most 29 there',
    ],
    [
      '0 0 31 4,feb *',
      '0 0 31 4,feb *',
      'the schedule never fires: there is no 31 April or 31 February',
      'the day of the month can be at most 30 there',
    ],
  ])('%s', (text, where, message, hint) => {
    const read = readCron(text)
    if (isCron(read)) throw new Error('it was read')
    expect([text.slice(read.start, read.end), read.message, read.hint]).toEqual([where, message, hint])
  })
})

test.each([
  ['*/61 * * * *', '*/61', 'minute', '0: a step of 61 leads beyond 59', '0', 'hour'],
  ['0,50/15 * * * *', '50/15', 'minute', '50: a step of 15 leads beyond 59', '50', 'hour'],
  ['0 */25 * * *', '*/25', 'hour', '0: a step of 25 leads beyond 23', '0', 'day'],
  ['0 8-18/12 * * *', '8-18/12', 'hour', '8: a step of 12 leads beyond 18', '8', 'day'],
  ['0 0 */40 * *', '*/40', 'day of the month', '1: a step of 40 leads beyond 31', '1', 'month'],
  ['0 0 1 jan-mar/4 *', 'jan-mar/4', 'month', 'jan: a step of 4 leads beyond 3', 'jan', 'year'],
  ['0 0 * * */8', '*/8', 'day of the week', '0: a step of 8 leads beyond 7', '0', 'week'],
])('%s fires, and probably not as it was meant', (text, where, field, why, instead, round) => {
  expect(doubtsIn(text)).toEqual([
    [
      where,
      `the ${field} ${where} means only ${why}`,
      `write ${instead} if you mean that: steps begin again in each ${round}`,
    ],
  ])
})

test('a step of several hours in minutes is one of the hour', () => {
  expect(doubtsIn('5/120 * * * *')).toEqual([
    [
      '5/120',
      'the minute 5/120 means only 5: a step of 120 leads beyond 59',
      'for every 2 hours write 5 as the minute and */2 as the hour',
    ],
  ])
})

test.each([
  // These fire as they say, such as every 60 minutes.
  ...['*/60 * * * *', '5/60 * * * *', '0 */24 * * *', '0 0 */31 * *', '0 0 1 */12 *', '0 0 * * */7', '0 0 * * 1/7'],
  ...['*/59 * * * *', '0 0 */30 * *', '0 0 * * */6', '7-7/20 * * * *', '0-30/30 * * * *'],
])('%s fires as it was meant', (text) => {
  expect(doubtsIn(text)).toEqual([])
})

function doubtsIn(text: string) {
  const read = readCron(text)
  if (!isCron(read)) throw new Error(read.message)
  return read.doubts.map(({ start, end, message, hint }) => [text.slice(start, end), message, hint])
}

test.each(['0 0 29 2 *', '0 0 31 2 1', '0 0 31 1-12 *', '  0\t2  * * *  ', '0 0 * * SUN-fri', '0 0 * Jan,DEC 0'])(
  '%s is read',
  (text) => {
    expect(isCron(readCron(text))).toBe(true)
  },
)

test('a year of a cron line in UTC is what the package cron makes of it', () => {
  const range = (low: number, high: number) =>
    fc
      .tuple(fc.integer({ min: low, max: high }), fc.integer({ min: low, max: high }))
      .map((ends) => ends.sort((a, b) => a - b))
  const part = (low: number, high: number) =>
    fc.oneof(
      fc.constant('*'),
      fc.integer({ min: low, max: high }).map(String),
      range(low, high).map(([from, to]) => `${from}-${to}`),
      fc.tuple(range(low, high), fc.integer({ min: 1, max: 9 })).map(([[from, to], step]) => `${from}-${to}/${step}`),
      fc.integer({ min: 1, max: 30 }).map((step) => `*/${step}`),
      fc
        .tuple(fc.integer({ min: low, max: high }), fc.integer({ min: 2, max: 9 }))
        .map(([from, step]) => `${from}/${step}`),
    )
  const field = (low: number, high: number) =>
    fc.array(part(low, high), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(','))
  const line = fc
    .tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 7))
    .map((fields) => fields.join(' '))
  fc.assert(
    fc.property(line, (cron) => {
      const from = Date.now()
      if (!isCron(readCron(cron))) return
      const slots = slotsBetween({ cron, zone: 'UTC' }, from, from + 400 * 86_400_000, 4)
      const time = new CronTime(cron, 'UTC')
      const expected: number[] = []
      for (let at = new Date(from); expected.length < slots.length; at = new Date(expected.at(-1) ?? 0)) {
        expected.push(time.getNextDateFrom(at, 'UTC').toMillis())
      }
      expect(slots).toEqual(expected)
    }),
    { numRuns: 150 },
  )
})
