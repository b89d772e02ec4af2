import { createRequire } from 'node:module'
import type ICAL from 'ical.js'
import { type DaysOff, DaysOffError, dayOf, isDay } from './days-off.ts'
import { instantsOf } from './local-time.ts'
import { type TimeZone, timeZone } from './time-zone.ts'

const DAY_MS = 86_400_000
/** Occurrences of one event; a rule that never comes true is given up here as well. */
const MAX_OCCURRENCES = 20_000
/** An event lasts no longer than some years. */
const MAX_DAYS = 4000

/**
 * The days that the events of an iCalendar text touch, in a time zone: whole days as they are, events with times on
 * every local day of theirs, also when they are marked as free time (holidays are); cancelled ones do not count.
 */
export function parseCalendar(text: string, zone: TimeZone): DaysOff {
  const days = new Set<string>()
  const series: Series[] = []
  for (const component of eventsOf(text)) {
    const event = readEvent(component)
    const status = component.getFirstPropertyValue('status')
    const repeats = component.hasProperty('rrule')
    if (status === 'CANCELLED') continue
    if (repeats || component.hasProperty('rdate')) series.push(seriesOf(event))
    // What is special about one occurrence of a series may stand anywhere: it is an event of its own here.
    if (!repeats) for (const day of daysTouched(event, event, zone)) days.add(day)
  }
  return {
    has(date) {
      for (const one of series)
        for (const details of one.upTo(date)) for (const day of touched(details, zone)) days.add(day)
      return days.has(date)
    },
  }
}

type Details = ReturnType<ICAL.Event['getOccurrenceDetails']>

function touched({ item, startDate, endDate }: Details, zone: TimeZone): string[] {
  return daysTouched(item, { startDate, endDate }, zone)
}

interface Series {
  /** The occurrences that begin until a date and that it has not given before. */
  upTo(date: string): Details[]
}

/** The occurrences of an event that repeats, without those that are moved or changed. */
function seriesOf(event: ICAL.Event): Series {
  const occurrences = checked(event.component, () => event.iterator())
  const following = () => checked(event.component, () => occurrences.next())
  let next = following()
  let count = 0
  return {
    upTo(date) {
      const found: Details[] = []
      while (next && next.toString().slice(0, 10) <= date) {
        if (++count > MAX_OCCURRENCES) throw tooMany(event)
        const details = event.getOccurrenceDetails(next)
        if (!details.item.isRecurrenceException()) found.push(details)
        next = following()
      }
      return found
    },
  }
}

function readEvent(component: ICAL.Component): ICAL.Event {
  for (const name of ['dtstart', 'dtend', 'recurrence-id']) {
    const property = component.getFirstProperty(name)
    const [, , , value] = property?.toJSON() ?? []
    if (property && !isDay(String(value).slice(0, 10)))
      throw new DaysOffError(`${nameOf(component)} has no real ${name}`)
    if (!property && name === 'dtstart') throw new DaysOffError(`${nameOf(component)} has no dtstart`)
  }
  const rule = String(component.getFirstPropertyValue('rrule') ?? '')
  if (/FREQ=(SECONDLY|MINUTELY|HOURLY)/.test(rule)) {
    throw new DaysOffError(`${nameOf(component)} repeats more often than once a day`)
  }
  if (/FREQ=DAILY/.test(rule) && (/BYMONTHDAY=/.test(rule) || (/INTERVAL=/.test(rule) && /;BY[A-Z]+=/.test(rule)))) {
    // The library looks for the next day of such a rule without end where there is none.
    throw new DaysOffError(
      `${nameOf(component)} repeats by a daily rule with conditions: write a weekly or monthly one`,
    )
  }
  return checked(component, () => new (ical().Event)(component))
}

/** What the library throws of its own is a fault of the calendar. */
function checked<T>(component: ICAL.Component, action: () => T): T {
  try {
    return action()
  } catch (error) {
    throw new DaysOffError(`${nameOf(component)}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

function daysTouched(
  event: ICAL.Event,
  { startDate, endDate }: Pick<Details, 'startDate' | 'endDate'>,
  zone: TimeZone,
): string[] {
  const start = startOf(event, startDate, zone)
  const end = Math.max(start, startOf(event, endDate, zone) - 1)
  if (end - start > MAX_DAYS * DAY_MS)
    throw new DaysOffError(`${nameOf(event.component)} lasts longer than ${MAX_DAYS} days`)
  const first = Math.floor(start / DAY_MS)
  const count = Math.floor(end / DAY_MS) - first + 1
  return Array.from({ length: count }, (_, index) => dayOf((first + index) * DAY_MS))
}

/** A time of an event as the local time of a zone, in milliseconds of UTC. */
function startOf({ component }: ICAL.Event, time: ICAL.Time, zone: TimeZone): number {
  const local = Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second)
  if (time.isDate) return local
  const tzid = component.getFirstProperty('dtstart')?.getParameter('tzid')
  const isUtc = time.zone === ical().Timezone.utcTimezone
  if (!isUtc && tzid === undefined) return local
  const at = isUtc ? local : instantIn(String(tzid), time, local, component)
  return at + zone.offsetAt(at)
}

/** By the zone's name where the runtime knows it: the definitions in calendars are often out of date. */
function instantIn(tzid: string, time: ICAL.Time, local: number, component: ICAL.Component): number {
  const named = namedZone(tzid)
  if (named) return instantsOf(named, local)[0] ?? local - named.offsetAt(local)
  if (time.zone !== ical().Timezone.localTimezone) return time.toUnixTime() * 1000
  throw new DaysOffError(`${nameOf(component)} is in the time zone "${tzid}", which nobody knows`)
}

function namedZone(name: string): TimeZone | undefined {
  try {
    return timeZone(name)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function eventsOf(text: string): ICAL.Component[] {
  const { Component, parse } = ical()
  let parsed: unknown[]
  try {
    parsed = parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new DaysOffError(`it is no calendar: ${error instanceof Error ? error.message.slice(0, 200) : String(error)}`)
  }
  if (parsed.length === 0) throw new DaysOffError('it is no calendar: it is empty')
  const calendars = typeof parsed[0] === 'string' ? [parsed] : parsed
  return calendars.flatMap((calendar) => {
    const component = new Component(calendar as [])
    if (component.name !== 'vcalendar') throw new DaysOffError(`it is no calendar: it begins with ${component.name}`)
    return component.getAllSubcomponents('vevent')
  })
}

function tooMany(event: ICAL.Event): DaysOffError {
  return new DaysOffError(`${nameOf(event.component)} repeats more than ${MAX_OCCURRENCES} times until then`)
}

function nameOf(component: ICAL.Component): string {
  const summary = component.getFirstPropertyValue('summary')
  return `the event "${String(summary ?? component.getFirstPropertyValue('uid') ?? '').slice(0, 60)}"`
}

/** Loaded with the first calendar: most documents have none. */
function ical(): typeof ICAL {
  return load('ical.js')
}

const load = createRequire(import.meta.url)
