import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/duration.ts'
import { DaysOffError } from '../days-off.ts'
import { END_OF_TIME } from '../slots-after.ts'
import type { LineOwner } from './calendar-values.ts'
import type { RecurrenceRule } from './recurrence-rule.ts'

/** Called for the days that are checked, with the line of the rule. Throws if there were too many. */
export type Spend = (steps: number, line: number) => void

const LAST_DAY = Math.floor(END_OF_TIME / DAY_MS)

/**
 * The times of a rule, in order, as local milliseconds, starting with its first time, `startMs`. `COUNT` and `UNTIL`
 * are left to the caller. The periods before `fromMs` are left out. It ends after the last day that can be written, and
 * checks each day of each period once, so that a rule that never matches ends, too.
 *
 * Parts that a rule omits come from its first time. BYWEEKNO alone means the weekday of the first time (RFC 5545,
 * 3.3.10), not the whole week.
 */
export function* expandRule(
  rule: RecurrenceRule,
  startMs: number,
  {
    isDate,
    fromMs = startMs,
    toMs = LAST_DAY * DAY_MS,
    spend,
  }: {
    isDate: boolean
    fromMs?: number
    toMs?: number
    spend: Spend
  },
): Generator<number, void, undefined> {
  const startDay = Math.floor(startMs / DAY_MS)
  const filled = withDefaults(rule, startDay)
  const times = timesOf(rule, startMs - startDay * DAY_MS, isDate)
  for (const { first, days } of periods(filled, startDay, Math.floor(fromMs / DAY_MS))) {
    if (first > LAST_DAY || first * DAY_MS > toMs) return
    const set: number[] = []
    for (const [from, to] of days) {
      spend(to - from + 1, rule.line)
      for (let day = from; day <= to; day++) {
        if (!matches(filled, day)) continue
        if (times.length > 1) spend(times.length, rule.line)
        for (const time of times) set.push(day * DAY_MS + time)
      }
    }
    for (const at of positioned(set, filled.positions)) {
      if (at > toMs) return
      if (at >= startMs) yield at
    }
  }
}

/** The maximum number of days that are searched for the next time of a rule: every day of five hundred years. */
const MOST_LOOKED = 200_000

/** Throws DaysOffError for a rule that never matches, such as 30 February, because it is a mistake. */
export function checkComesAgain(
  rule: RecurrenceRule,
  { localMs: startMs, isDate }: { localMs: number; isDate: boolean },
  { spend, owner }: { spend: Spend; owner: LineOwner },
): void {
  const never = new DaysOffError(
    `line ${rule.line}: the rule of ${owner} never matches a day`,
    'check its BY parts and its INTERVAL, or leave the rule out',
  )
  let left = MOST_LOOKED
  const looking: Spend = (steps, line) => {
    spend(steps, line)
    left -= steps
    if (left < 0) throw never
  }
  for (const localMs of expandRule(rule, startMs, { isDate, spend: looking })) {
    if (localMs > startMs) return
  }
  throw never
}

function withDefaults(rule: RecurrenceRule, startDay: number): RecurrenceRule {
  const { freq, weeks, daysOfYear, daysOfMonth, daysOfWeek } = rule
  const start = new Date(startDay * DAY_MS)
  const sameWeekday = [{ day: weekdayOf(startDay), nth: undefined }]
  if (daysOfYear || daysOfMonth || daysOfWeek || freq === 'DAILY') return rule
  if (freq === 'WEEKLY' || weeks) return { ...rule, daysOfWeek: sameWeekday }
  const months = freq === 'YEARLY' ? (rule.months ?? [start.getUTCMonth() + 1]) : rule.months
  return { ...rule, months, daysOfMonth: [start.getUTCDate()] }
}

function timesOf({ hours, minutes, seconds }: RecurrenceRule, startMs: number, isDate: boolean): number[] {
  if (isDate || !(hours || minutes || seconds)) return [startMs]
  const of = (unit: number, within: number) => [Math.floor(startMs / unit) % within]
  const times = (hours ?? of(HOUR_MS, 24)).flatMap((hour) =>
    (minutes ?? of(MINUTE_MS, 60)).flatMap((minute) =>
      (seconds ?? of(1000, 60)).map((second) => ((hour * 60 + minute) * 60 + second) * 1000),
    ),
  )
  return [...new Set(times)].sort((a, b) => a - b)
}

interface Period {
  readonly first: number
  /** Ranges of days, first and last, that can match. */
  readonly days: readonly (readonly [number, number])[]
}

/** The periods of a rule, starting with the one that contains `fromDay`, without end. */
function* periods(rule: RecurrenceRule, startDay: number, fromDay: number): Generator<Period> {
  const { freq, interval, months } = rule
  const start = new Date(startDay * DAY_MS)
  const from = new Date(Math.max(startDay, fromDay) * DAY_MS)
  const [year, month] = [start.getUTCFullYear(), start.getUTCMonth()]
  const yearsOn = from.getUTCFullYear() - year
  const skipped = (units: number) => Math.floor(units / interval) * interval
  if (freq === 'YEARLY') {
    // Rules with BYMONTH and a day of the year or a week are so rare that looking at the whole year is acceptable.
    const isByMonth = months && !rule.weeks && !rule.daysOfYear
    for (let at = year + skipped(yearsOn); at <= 10_000; at += interval) {
      const days = isByMonth
        ? months.toSorted((a, b) => a - b).map((one) => [dayAt(at, one - 1), dayAt(at, one) - 1] as const)
        : [[dayAt(at, 0), dayAt(at + 1, 0) - 1] as const]
      yield { first: dayAt(at, 0), days }
    }
  } else if (freq === 'MONTHLY') {
    for (let at = month + skipped(yearsOn * 12 + from.getUTCMonth() - month); at < 10_000 * 12; at += interval) {
      const first = dayAt(year, at)
      yield { first, days: [[first, dayAt(year, at + 1) - 1]] }
    }
  } else {
    const length = freq === 'WEEKLY' ? 7 : 1
    const first = freq === 'WEEKLY' ? startDay - ((weekdayOf(startDay) - rule.weekStart + 7) % 7) : startDay
    const on = Math.floor((Math.max(startDay, fromDay) - first) / length)
    for (let at = first + skipped(on) * length; at <= LAST_DAY; at += interval * length)
      yield { first: at, days: [[at, at + length - 1]] }
  }
}

function matches(rule: RecurrenceRule, day: number): boolean {
  const { months, weeks, daysOfYear, daysOfMonth, daysOfWeek } = rule
  // A plain daily rule, and most days of a weekday rule, can be decided without computing the date.
  if (daysOfWeek && !daysOfWeek.some((one) => one.day === weekdayOf(day))) return false
  if (!(months || weeks || daysOfYear || daysOfMonth || daysOfWeek)) return true
  const date = new Date(day * DAY_MS)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  if (months && !months.includes(month + 1)) return false
  if (daysOfMonth && !counts(daysOfMonth, date.getUTCDate(), dayAt(year, month + 1) - dayAt(year, month))) return false
  if (daysOfYear && !counts(daysOfYear, day - dayAt(year, 0) + 1, dayAt(year + 1, 0) - dayAt(year, 0))) return false
  if (daysOfWeek && !daysOfWeek.some((one) => isWeekday(rule, one, day, year, month))) return false
  return !weeks || isInWeek(weeks, day, rule.weekStart)
}

/** Whether a position, counted from 1, or from the end with -1, is among those wanted. */
function counts(wanted: readonly number[], place: number, length: number): boolean {
  return wanted.includes(place) || wanted.includes(place - length - 1)
}

function isWeekday(
  { freq, months }: RecurrenceRule,
  { day: weekday, nth }: { day: number; nth: number | undefined },
  day: number,
  year: number,
  month: number,
): boolean {
  if (weekdayOf(day) !== weekday) return false
  if (nth === undefined) return true
  const isOfYear = freq === 'YEARLY' && !months
  const first = isOfYear ? dayAt(year, 0) : dayAt(year, month)
  const after = isOfYear ? dayAt(year + 1, 0) : dayAt(year, month + 1)
  return nth === Math.floor((day - first) / 7) + 1 || nth === -Math.floor((after - 1 - day) / 7) - 1
}

/** Weeks begin on `weekStart`; the first week of a year has at least four days in that year. */
function isInWeek(weeks: readonly number[], day: number, weekStart: number): boolean {
  const middleOf = (one: number) => one - ((weekdayOf(one) - weekStart + 7) % 7) + 3
  const middle = middleOf(day)
  const year = new Date(middle * DAY_MS).getUTCFullYear()
  const week = Math.floor((middle - dayAt(year, 0)) / 7) + 1
  const lastMiddle = middleOf(dayAt(year + 1, 0) - 4)
  return counts(weeks, week, Math.floor((lastMiddle - dayAt(year, 0)) / 7) + 1)
}

function positioned(set: readonly number[], positions: readonly number[] | undefined): readonly number[] {
  if (!positions) return set
  const places = new Set(positions.map((one) => (one > 0 ? one - 1 : set.length + one)))
  return set.filter((_, index) => places.has(index))
}

function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7
}

/** The day, counted from 1970, on which a month begins. Months count from 0, and may belong to other years. */
function dayAt(year: number, month: number): number {
  return Date.UTC(year, month, 1) / DAY_MS
}
