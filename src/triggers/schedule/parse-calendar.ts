import { DAY_MS } from '../../core/duration.ts'
import { type CalendarEvent, readEvent } from './calendar/calendar-event.ts'
import { calendarParts } from './calendar/calendar-parts.ts'
import { clockOf, eventClocks } from './calendar/event-clocks.ts'
import { type EventSeries, openSeries, type Replacing, type SeriesOccurrence } from './calendar/event-series.ts'
import type { Spend } from './calendar/expand-rule.ts'
import { type DaysOff, DaysOffError } from './days-off.ts'
import type { TimeZone } from './time-zone.ts'

/**
 * The days that the events of an iCalendar text (RFC 5545) touch, in a time zone. A whole-day event counts on its own
 * dates; an event with times counts on each local day that it touches. Events marked as free time count too, because
 * holidays are marked this way. Cancelled events do not count. Throws DaysOffError, with the line, for anything that it
 * does not understand; `has` never throws.
 *
 * Where RFC 5545 leaves it open, more days are off rather than fewer: the first time of a series counts even if its
 * rule does not include it.
 */
export function parseCalendar(text: string, zone: TimeZone): DaysOff {
  const clock = clockOf(zone)
  const budget = { spend: stepBudget(), spendYearly: stepBudget() }
  const events = eventsOf(text)
  const ranges: DayRange[] = []
  const series: EventSeries[] = []
  for (const { masters, replacing } of bySeries(events)) {
    for (const master of masters) {
      if (master.isCancelled) continue
      if (isSingle(master) && replacing.length === 0) ranges.push(touched(master))
      else series.push(openSeries(master, replacing, budget))
    }
    for (const event of replacing) if (!event.isCancelled) ranges.push(touched(event))
  }
  const years = new Map<number, Uint8Array>()
  return {
    has(date) {
      const year = Number(date.slice(0, 4))
      const first = Date.UTC(year, 0, 1) / DAY_MS
      const days = years.get(year) ?? daysOf(first)
      years.set(year, days)
      return days[Date.parse(date) / DAY_MS - first] === 1
    },
  }

  function eventsOf(text: string): CalendarEvent[] {
    return calendarParts(text).flatMap(({ lines, parts }) => {
      const zones = parts.filter(({ name }) => name === 'VTIMEZONE')
      const isCancelled = lines.some(({ name, value }) => name === 'METHOD' && /^\s*CANCEL\s*$/i.test(value))
      const options = { clockNamed: eventClocks(zones, budget.spend), floating: clock, isCancelled }
      return parts.filter(({ name }) => name === 'VEVENT').map((part) => readEvent(part, options))
    })
  }

  function daysOf(first: number): Uint8Array {
    const days = new Uint8Array(366)
    const mark = ([from, to]: DayRange) => days.fill(1, Math.max(0, from - first), Math.max(0, to - first + 1))
    for (const range of ranges) mark(range)
    for (const one of series)
      for (const occurrence of one(first * DAY_MS, (first + 366) * DAY_MS)) mark(touched(occurrence))
    return days
  }

  function touched({ start, span }: SeriesOccurrence): DayRange {
    const { isDate, localMs } = start
    const { clockMs, exactMs } = span
    if (isDate) return dayRange(localMs, localMs + clockMs + exactMs - 1)
    const at = start.clock.instantOf(localMs)
    const end = start.clock.instantOf(localMs + clockMs) + exactMs
    return dayRange(clock.localOf(at), clock.localOf(end - 1))
  }
}

/** A range of days: the first and the last one, counted from 1970. */
type DayRange = readonly [number, number]

function dayRange(fromMs: number, toMs: number): DayRange {
  const first = Math.floor(fromMs / DAY_MS)
  return [first, Math.max(first, Math.floor(toMs / DAY_MS))]
}

function isSingle({ rules, dates, exceptDates, exceptRules }: CalendarEvent): boolean {
  return [rules, dates, exceptDates, exceptRules].every((list) => list.length === 0)
}

/** The events of each UID. If several replace the same occurrence, those with the last sequence number count. */
function bySeries(events: readonly CalendarEvent[]): { masters: CalendarEvent[]; replacing: Replacing[] }[] {
  return [...Map.groupBy(events, (event) => event.uid ?? event).values()].map((group) => ({
    masters: group.filter((event) => !isReplacing(event)),
    replacing: latest(group.filter(isReplacing)),
  }))
}

function latest(replacing: readonly Replacing[]): Replacing[] {
  const keyOf = ({ replaces: { isDate, localMs, clock } }: Replacing) =>
    isDate ? `date ${localMs}` : `time ${clock.instantOf(localMs)}`
  const last = new Map<string, number>()
  for (const event of replacing) last.set(keyOf(event), Math.max(event.sequence, last.get(keyOf(event)) ?? 0))
  return replacing.filter((event) => event.sequence >= (last.get(keyOf(event)) ?? 0))
}

function isReplacing(event: CalendarEvent): event is Replacing {
  return event.replaces !== undefined
}

/**
 * The number of days that may be checked to read a calendar, and the number for each year that is requested later. The
 * work is counted, not measured, so that a calendar is valid on every machine or on none.
 */
const MAX_STEPS = 1_000_000

/**
 * Throws DaysOffError once too much has been spent. The line in the error belongs to the part that is too expensive.
 */
function stepBudget(): Spend {
  let left = MAX_STEPS
  return (steps, line) => {
    left -= steps
    if (left >= 0) return
    throw new DaysOffError(
      `line ${line}: it takes too long to work out the rules up to here`,
      'leave out events that are not days off, and write rules that name their days, such as FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25',
    )
  }
}
