import { DaysOffError } from '../days-off.ts'
import { type LineOwner, parseWhen, type When } from './calendar-values.ts'
import type { ContentLine } from './content-lines.ts'

/** An RRULE (RFC 5545, 3.3.10). Days of the week are numbered from Monday, 0. */
export interface RecurrenceRule {
  readonly line: number
  readonly freq: 'YEARLY' | 'MONTHLY' | 'WEEKLY' | 'DAILY'
  readonly interval: number
  readonly count: number | undefined
  readonly until: When | undefined
  readonly months: readonly number[] | undefined
  readonly weeks: readonly number[] | undefined
  readonly daysOfYear: readonly number[] | undefined
  readonly daysOfMonth: readonly number[] | undefined
  readonly daysOfWeek: readonly { readonly day: number; readonly nth: number | undefined }[] | undefined
  readonly hours: readonly number[] | undefined
  readonly minutes: readonly number[] | undefined
  readonly seconds: readonly number[] | undefined
  readonly positions: readonly number[] | undefined
  readonly weekStart: number
}

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']
const NAMES = new Set([
  ...['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'WKST', 'BYMONTH', 'BYWEEKNO', 'BYYEARDAY', 'BYMONTHDAY', 'BYDAY'],
  ...['BYHOUR', 'BYMINUTE', 'BYSECOND', 'BYSETPOS'],
])

/** Reads the rule of a line strictly: throws DaysOffError for anything that it does not understand. */
export function readRule({ line, value }: ContentLine, owner: LineOwner = 'an event'): RecurrenceRule {
  const parts = new Map<string, string>()
  for (const part of value.trim().replace(/;$/, '').toUpperCase().split(';')) {
    const [name = '', text, more] = part.split('=').map((piece) => piece.trim())
    if (!NAMES.has(name) || text === undefined || more !== undefined || parts.has(name)) {
      refuse(
        'has an unknown part, or has the same part twice',
        `a rule can have each of these parts once: ${[...NAMES].join(', ')}`,
      )
    }
    parts.set(name, text)
  }
  const freq = parts.get('FREQ')
  if (freq === 'SECONDLY' || freq === 'MINUTELY' || freq === 'HOURLY') {
    return refuse('repeats more often than once a day', 'write FREQ=DAILY: only whole days are off')
  }
  if (freq !== 'YEARLY' && freq !== 'MONTHLY' && freq !== 'WEEKLY' && freq !== 'DAILY') {
    return refuse('has no known FREQ', 'write FREQ=YEARLY, MONTHLY, WEEKLY or DAILY')
  }
  const rule: RecurrenceRule = {
    line,
    freq,
    interval: whole('INTERVAL') ?? 1,
    count: whole('COUNT'),
    until: until(),
    months: numbers('BYMONTH', 1, 12),
    weeks: numbers('BYWEEKNO', 1, 53, true),
    daysOfYear: numbers('BYYEARDAY', 1, 366, true),
    daysOfMonth: numbers('BYMONTHDAY', 1, 31, true),
    daysOfWeek: weekdays(),
    hours: numbers('BYHOUR', 0, 23),
    minutes: numbers('BYMINUTE', 0, 59),
    seconds: numbers('BYSECOND', 0, 59),
    positions: numbers('BYSETPOS', 1, 366, true),
    weekStart: weekday(parts.get('WKST') ?? 'MO', 'WKST'),
  }
  checkTogether(rule)
  return rule

  function refuse(what: string, hint: string): never {
    throw new DaysOffError(`line ${line}: the rule of ${owner} ${what}`, hint)
  }

  function whole(name: string): number | undefined {
    const text = parts.get(name)
    if (text === undefined) return undefined
    if (!/^\d{1,9}$/.test(text) || Number(text) === 0)
      refuse(`has a wrong ${name}`, `write ${name} as a whole number, 1 or more`)
    return Number(text)
  }

  function until(): When | undefined {
    const text = parts.get('UNTIL')
    if (text === undefined) return undefined
    return parseWhen(text) ?? refuse('has a wrong UNTIL', 'write it as 20261231 or 20261231T225959Z')
  }

  function numbers(name: string, from: number, to: number, signed = false): number[] | undefined {
    const items = parts.get(name)?.split(',')
    return items?.map((item) => {
      const size = Math.abs(Number(item))
      if (!(signed ? /^[+-]?\d{1,3}$/ : /^\d{1,3}$/).test(item) || size < from || size > to) {
        refuse(`has a wrong ${name}`, `write numbers from ${from} to ${to}, with commas between them`)
      }
      return Number(item)
    })
  }

  function weekday(name: string, of: string): number {
    const day = WEEKDAYS.indexOf(name)
    return day >= 0 ? day : refuse(`has a wrong ${of}`, `write ${WEEKDAYS.join(', ')}`)
  }

  function weekdays(): RecurrenceRule['daysOfWeek'] {
    const items = parts.get('BYDAY')?.split(',')
    return items?.map((item) => {
      const [, nth, name = ''] = /^([+-]?\d{1,2})?\s*([A-Z]{2})$/.exec(item) ?? []
      const day = weekday(name, 'BYDAY')
      if (nth === undefined) return { day, nth: undefined }
      if (Number(nth) === 0 || Math.abs(Number(nth)) > 53) refuse('has a wrong BYDAY', 'write it as MO, 1MO or -1MO')
      return { day, nth: Number(nth) }
    })
  }

  function checkTogether({ weeks, daysOfYear, daysOfMonth, daysOfWeek, positions, months }: RecurrenceRule): void {
    if (parts.has('COUNT') && parts.has('UNTIL')) refuse('has both COUNT and UNTIL', 'leave one of them out')
    if (weeks && freq !== 'YEARLY') refuse('has BYWEEKNO and does not repeat yearly', 'write FREQ=YEARLY')
    if (daysOfYear && freq !== 'YEARLY') refuse('has BYYEARDAY and does not repeat yearly', 'write FREQ=YEARLY')
    if (daysOfMonth && freq === 'WEEKLY') refuse('repeats weekly and has BYMONTHDAY', 'write FREQ=MONTHLY')
    const isNth = daysOfWeek?.some(({ nth }) => nth !== undefined) === true
    const isOfMonth = freq === 'MONTHLY' || months !== undefined
    if (isOfMonth && daysOfWeek?.some(({ nth = 0 }) => Math.abs(nth) > 5)) {
      refuse('has a number in BYDAY that no month reaches', 'write 1 to 5, or -1 to -5, before a day of the week')
    }
    if (isNth && (freq === 'WEEKLY' || freq === 'DAILY' || weeks)) {
      refuse(
        'counts days of the week in BYDAY, which its FREQ or BYWEEKNO does not allow',
        'write BYDAY=MO, or FREQ=MONTHLY or YEARLY',
      )
    }
    const others = [weeks, daysOfYear, daysOfMonth, daysOfWeek, months, ...['BYHOUR', 'BYMINUTE', 'BYSECOND']]
    if (positions && !others.some((other) => (typeof other === 'string' ? parts.has(other) : other))) {
      refuse(
        'has BYSETPOS and no other BY part',
        'leave BYSETPOS out, or add the BY part that it counts, such as BYDAY',
      )
    }
  }
}
