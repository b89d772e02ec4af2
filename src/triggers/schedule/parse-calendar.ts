import { createRequire } from 'node:module'
import type ICAL from 'ical.js'
import { DAY_MS } from '../../core/duration.ts'
import { type DaysOff, DaysOffError, dayOf, isDay } from './days-off.ts'
import { instantsOf } from './local-time.ts'
import { type TimeZone, timeZone } from './time-zone.ts'

/** The most occurrences of one event. A rule that never matches also stops here. */
const MAX_OCCURRENCES = 20_000
/** The longest event, in days. */
const MAX_DAYS = 4000

/**
 * The days that the events of an iCalendar text touch, in a time zone. A whole-day event counts on its own dates, an
 * event with times on each local day that it touches. Events marked as free time count too, because holidays are marked
 * so. Cancelled events do not count.
 */
export function parseCalendar(text: string, zone: TimeZone): DaysOff {
  const days = new Set<string>()
  const series: Series[] = []
  for (const place of eventsOf(text)) {
    const { component } = place
    const event = readEvent(place)
    const status = component.getFirstPropertyValue('status')
    const repeats = component.hasProperty('rrule')
    if (status === 'CANCELLED') continue
    if (repeats || component.hasProperty('rdate')) series.push(seriesOf(event, place))
    // An exception to a series can stand anywhere in the text: here it counts as an event of its own.
    if (!repeats) for (const day of daysTouched(event, zone, place)) days.add(day)
  }
  return {
    has(date) {
      for (const one of series)
        for (const details of one.upTo(date)) for (const day of daysTouched(details, zone, one.place)) days.add(day)
      return days.has(date)
    },
  }
}

type Details = ReturnType<ICAL.Event['getOccurrenceDetails']>

/** An event of the text. Problems name its line and quote nothing, because the file may not be a calendar at all. */
interface Place {
  readonly component: ICAL.Component
  /** The line of its BEGIN:VEVENT, from 1. */
  readonly line: number
}

interface Series {
  readonly place: Place
  /** The occurrences that begin up to a date and were not returned before. */
  upTo(date: string): Details[]
}

/** The occurrences of a repeating event, without those that are moved or changed. */
function seriesOf(event: ICAL.Event, place: Place): Series {
  const occurrences = checked(place, () => event.iterator())
  const following = () => checked(place, () => occurrences.next())
  let next = following()
  let count = 0
  return {
    place,
    upTo(date) {
      const found: Details[] = []
      while (next && next.toString().slice(0, 10) <= date) {
        if (++count > MAX_OCCURRENCES) throw problem(place, `repeats more than ${MAX_OCCURRENCES} times until then`)
        const details = event.getOccurrenceDetails(next)
        if (!details.item.isRecurrenceException()) found.push(details)
        next = following()
      }
      return found
    },
  }
}

function readEvent(place: Place): ICAL.Event {
  const { component } = place
  for (const name of ['dtstart', 'dtend', 'recurrence-id']) {
    const property = component.getFirstProperty(name)
    const [, , , value] = property?.toJSON() ?? []
    if (property && !isDay(String(value).slice(0, 10))) throw problem(place, `has no real ${name}`)
    if (!property && name === 'dtstart') throw problem(place, 'has no dtstart')
  }
  const rule = String(component.getFirstPropertyValue('rrule') ?? '')
  if (/FREQ=(SECONDLY|MINUTELY|HOURLY)/.test(rule)) {
    throw problem(place, 'repeats more often than once a day')
  }
  if (/FREQ=DAILY/.test(rule) && (/BYMONTHDAY=/.test(rule) || (/INTERVAL=/.test(rule) && /;BY[A-Z]+=/.test(rule)))) {
    // For such a rule, the library searches without end for a next day that does not exist.
    throw problem(place, 'repeats by a daily rule with conditions: write a weekly or monthly one')
  }
  return checked(place, () => new (ical().Event)(component))
}

/**
 * Reports an error that the library throws as a problem of the calendar; the library's own message would quote the
 * file.
 */
function checked<T>(place: Place, action: () => T): T {
  try {
    return action()
  } catch {
    throw problem(place, 'cannot be understood')
  }
}

function daysTouched(times: Pick<Details, 'startDate' | 'endDate'>, zone: TimeZone, place: Place): string[] {
  const start = startOf(times.startDate, zone, place)
  const end = Math.max(start, startOf(times.endDate, zone, place) - 1)
  if (end - start > MAX_DAYS * DAY_MS) throw problem(place, `lasts longer than ${MAX_DAYS} days`)
  const first = Math.floor(start / DAY_MS)
  const count = Math.floor(end / DAY_MS) - first + 1
  return Array.from({ length: count }, (_, index) => dayOf((first + index) * DAY_MS))
}

/** A time of an event as the local time of a zone, written as milliseconds in UTC. */
function startOf(time: ICAL.Time, zone: TimeZone, place: Place): number {
  const local = Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second)
  if (time.isDate) return local
  const tzid = place.component.getFirstProperty('dtstart')?.getParameter('tzid')
  const isUtc = time.zone === ical().Timezone.utcTimezone
  if (!isUtc && tzid === undefined) return local
  const at = isUtc ? local : instantIn(String(tzid), time, local, place)
  return at + zone.offsetAt(at)
}

/** Uses the zone's name if the runtime knows it: the definitions in calendars are often out of date. */
function instantIn(tzid: string, time: ICAL.Time, local: number, place: Place): number {
  const named = namedZone(tzid)
  if (named) return instantsOf(named, local)[0] ?? local - named.offsetAt(local)
  if (time.zone !== ical().Timezone.localTimezone) return time.toUnixTime() * 1000
  throw problem(place, 'is in an unknown time zone')
}

function namedZone(name: string): TimeZone | undefined {
  try {
    return timeZone(name)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function eventsOf(text: string): Place[] {
  const { Component, parse } = ical()
  let parsed: unknown[]
  try {
    parsed = parse(text.replace(/^\uFEFF/, ''))
  } catch {
    throw new DaysOffError(`it is no calendar: ${whereParsingFailed(text)}`)
  }
  if (parsed.length === 0) throw new DaysOffError('it is no calendar: it is empty')
  const calendars = typeof parsed[0] === 'string' ? [parsed] : parsed
  const events = calendars.flatMap((calendar) => {
    const component = new Component(calendar as [])
    if (component.name !== 'vcalendar') throw new DaysOffError('it is no calendar: it does not begin with VCALENDAR')
    return component.getAllSubcomponents('vevent')
  })
  const lines = linesOf(text).flatMap(({ line, content }) => (/^BEGIN:VEVENT\s*$/i.test(content) ? [line] : []))
  return events.map((component, index) => ({ component, line: lines[index] ?? 0 }))
}

/**
 * The library quotes the line that it cannot read and does not number it. This finds the first line that it cannot read
 * on its own.
 */
function whereParsingFailed(text: string): string {
  const { parse } = ical()
  const wrong = linesOf(text)
    .slice(0, MAX_LINES_TRIED)
    .find(({ content }) => {
      if (content.trim() === '' || /^(BEGIN|END):/i.test(content)) return false
      try {
        parse(`BEGIN:VEVENT\r\n${content}\r\nEND:VEVENT`)
        return false
      } catch {
        return true
      }
    })
  return wrong ? `line ${wrong.line} cannot be read` : 'a part of it begins and does not end'
}

const MAX_LINES_TRIED = 10_000

/** The content lines of a calendar, with folded lines joined, each with the number of its first line. */
function linesOf(text: string): { readonly line: number; readonly content: string }[] {
  const lines: { readonly line: number; content: string }[] = []
  for (const [index, content] of text.split(/\r?\n/).entries()) {
    const last = lines.at(-1)
    if (last && /^[ \t]/.test(content)) last.content += content.slice(1)
    else lines.push({ line: index + 1, content })
  }
  return lines
}

function problem({ line }: Place, what: string): DaysOffError {
  return new DaysOffError(`the event at line ${line} ${what}`)
}

/** Loaded with the first calendar, because most documents have none. */
function ical(): typeof ICAL {
  return load('ical.js')
}

const load = createRequire(import.meta.url)
