import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatDurationValue, formatTimestamp, parseDurationValue, parseTimestamp } from '../../src/expressions/time.ts'
import { Duration, Timestamp } from '../../src/expressions/value.ts'
import { evaluateText, failureOf } from './evaluate-text.ts'

describe('timestamps and durations', () => {
  test.each([
    ['string(timestamp("2026-01-31T08:00:00Z"))', '2026-01-31T08:00:00Z'],
    ['string(timestamp("2026-01-31T08:00:00.120Z"))', '2026-01-31T08:00:00.120Z'],
    ['string(timestamp("2026-01-31T08:00:00.1234Z"))', '2026-01-31T08:00:00.123400Z'],
    ['string(timestamp("1969-12-31T23:59:59.999999999Z"))', '1969-12-31T23:59:59.999999999Z'],
    ['int(timestamp("1969-12-31T23:59:59.5Z"))', -1n],
    ['timestamp("2026-01-31T08:00:00.1234567Z") - timestamp("2026-01-31T08:00:00Z") == duration("123456700ns")', true],
    ['string(timestamp(0) + duration("1d1ms"))', '1970-01-02T00:00:00.001Z'],
    ['string(duration("-1h0.5s"))', '-3600.5s'],
    ['string(duration("1us"))', '0.000001s'],
    ['duration("1µs") == duration("1000ns")', true],
    ['"took " + string(duration("90m"))', 'took 5400s'],
  ])('%s', (source, value) => {
    expect(evaluateText(source)).toEqual(value)
  })

  test.each([
    ['timestamp("0000-12-31T23:59:59Z")', 'the timestamp is outside the years 1 to 9999'],
    ['timestamp("9999-12-31T23:59:59Z") + duration("1s")', 'the timestamp is outside the years 1 to 9999'],
    ['timestamp(253402300800)', 'the timestamp is outside the years 1 to 9999'],
    ['duration("292y")', 'a duration looks like 30s or 1h30m'],
    ['duration("106752d")', 'the duration is longer than 292 years'],
    ['duration("106751d") + duration("106751d")', 'the duration is longer than 292 years'],
    ['timestamp("2026-02-31")', 'a timestamp looks like 2026-01-31T08:00:00Z'],
  ])('%s: %s', (source, message) => {
    expect(failureOf(source).message).toContain(message)
  })

  test('are read as they are written', () => {
    const ns = fc.bigInt({ min: -62_135_596_800_000_000_000n, max: 253_402_300_799_999_999_999n })
    fc.assert(
      fc.property(ns, (count) => {
        expect(parseTimestamp(formatTimestamp(new Timestamp(count)))).toEqual(new Timestamp(count))
        const duration = new Duration(BigInt.asIntN(64, count))
        expect(parseDurationValue(formatDurationValue(duration))).toEqual(duration)
      }),
    )
  })
})

describe('the parts of a timestamp', () => {
  test.each([
    ['timestamp("2026-12-31T23:30:00Z").getFullYear("Europe/Berlin")', 2027n],
    ['timestamp("2028-12-31T00:00:00Z").getDayOfYear()', 365n],
    ['timestamp("0050-03-01T00:00:00Z").getDayOfYear()', 59n],
    ['timestamp("2026-01-31T00:15:00Z").getHours("-00:30")', 23n],
    ['timestamp("2026-01-31T00:15:00Z").getMinutes("05:45")', 0n],
    ['timestamp("0001-01-01T00:00:00Z").getFullYear("America/New_York")', 0n],
    ['duration("-90m").getHours()', -1n],
    ['duration("90m").getMinutes() + duration("1.5s").getMilliseconds()', 590n],
    ['formatDate(timestamp("2026-01-31T20:00:00Z"), "yyyy-MM-dd HH:mm", "+05:30")', '2026-02-01 01:30'],
  ])('%s', (source, value) => {
    expect(evaluateText(source)).toEqual(value)
  })

  test('have no other zone, and none if they are of a duration', () => {
    const inputs = { zone: 'UTC' }
    expect(failureOf('duration("1h").getHours(inputs.zone)', { inputs }).message).toContain(
      'a duration has no time zone',
    )
    for (const zone of ['Mars', '+25:00', '05:60', '+5']) {
      expect(failureOf(`timestamp(0).getHours("${zone}")`).message).toContain('there is no such time zone')
    }
  })

  test('are those of Intl, in every zone', () => {
    const zone = fc.constantFrom('UTC', ...Intl.supportedValuesOf('timeZone'))
    const time = fc.date({ min: new Date('1850-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(zone, time, (timeZone, at) => {
        const inputs = { at: at.toISOString(), zone: timeZone }
        const part = (name: string) => Number(evaluateText(`timestamp(inputs.at).${name}(inputs.zone)`, { inputs }))
        const shown = [part('getFullYear'), part('getMonth') + 1, part('getDate'), part('getHours'), part('getMinutes')]
        expect([...shown, part('getSeconds'), DAYS[part('getDayOfWeek')]]).toEqual(partsByIntl(timeZone, at))
        expect(part('getDayOfMonth')).toBe(part('getDate') - 1)
      }),
      { numRuns: 200 },
    )
  })
})

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const FIELDS = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const

function partsByIntl(timeZone: string, at: Date): (string | number)[] {
  const others = { second: 'numeric', weekday: 'short', hourCycle: 'h23', timeZone } as const
  const parts = new Intl.DateTimeFormat('en', { ...FIELDS, ...others }).formatToParts(at)
  const partOf = (name: string) => parts.find(({ type }) => type === name)?.value ?? ''
  return [...[...Object.keys(FIELDS), 'second'].map((name) => Number(partOf(name))), partOf('weekday')]
}
