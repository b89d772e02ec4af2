import { DAY_MS } from '../../../core/duration.ts'
import { count } from '../../../core/format/figures.ts'
import { DaysOffError } from '../days-off.ts'
import { type CalendarPart, linesNamed } from './calendar-parts.ts'
import { type EventClock, lastingOf, periodsOf, utcClock, type When, whenOf, whensOf } from './calendar-values.ts'
import { type ContentLine, parameterOf } from './content-lines.ts'
import { type RecurrenceRule, readRule } from './recurrence-rule.ts'

/** A date, or a time with the clock that shows it. */
export interface Moment {
  readonly isDate: boolean
  readonly localMs: number
  readonly clock: EventClock
}

/** How long an event lasts: days by the clock, then elapsed time. */
export interface EventLength {
  readonly clockMs: number
  readonly exactMs: number
}

/** A moment that a line of an event names. */
export interface NamedMoment extends Moment {
  readonly line: number
}

/** An event as the calendar states it. */
export interface CalendarEvent {
  /** The number of the line with its BEGIN, counted from 1. */
  readonly line: number
  readonly uid: string | undefined
  readonly sequence: number
  readonly isCancelled: boolean
  readonly start: Moment
  readonly span: EventLength
  readonly rules: readonly RecurrenceRule[]
  readonly exceptRules: readonly RecurrenceRule[]
  /** Further occurrences. One that is written as a period has its own span. */
  readonly dates: readonly (NamedMoment & { readonly span?: EventLength })[]
  readonly exceptDates: readonly NamedMoment[]
  /** The occurrence of another event that this one replaces; with `andFuture`, later occurrences, too. */
  readonly replaces: (NamedMoment & { readonly andFuture: boolean }) | undefined
}

/** The maximum length of an event, in days. */
export const MAX_DAYS = 4000

/** Reads an event strictly: throws DaysOffError for anything that it does not understand. */
export function readEvent(
  part: CalendarPart,
  {
    clockNamed,
    floating,
    isCancelled,
  }: {
    clockNamed: (tzid: string, line: ContentLine) => EventClock
    /** The clock of times without a zone. */
    floating: EventClock
    isCancelled: boolean
  },
): CalendarEvent {
  const startLine = only('DTSTART')
  if (!startLine) throw problem('has no DTSTART', 'add the day or time at which it begins: DTSTART;VALUE=DATE:20261225')
  const start = momentOf(whenOf(startLine), startLine, floating)
  // A time without a zone uses the clock of the event that it belongs to.
  const own = start.isDate ? floating : start.clock
  const named = (line: ContentLine) => whensOf(line).map((when) => ({ ...momentOf(when, line, own), line: line.line }))
  const event: CalendarEvent = {
    line: part.line,
    uid: only('UID')?.value.trim(),
    sequence: Number(only('SEQUENCE')?.value ?? 0) || 0,
    isCancelled: isCancelled || only('STATUS')?.value.trim().toUpperCase() === 'CANCELLED',
    start,
    span: spanOf(),
    rules: linesNamed(part, 'RRULE').map((line) => readRule(line)),
    exceptRules: linesNamed(part, 'EXRULE').map((line) => readRule(line)),
    dates: linesNamed(part, 'RDATE').flatMap((line) =>
      parameterOf(line, 'VALUE')?.toUpperCase() === 'PERIOD' ? periods(line) : named(line),
    ),
    exceptDates: linesNamed(part, 'EXDATE').flatMap(named),
    replaces: replaced(),
  }
  if (event.replaces && (event.rules.length > 0 || event.dates.length > 0)) {
    throw problem('replaces one of a series and repeats itself', 'leave out its RRULE and RDATE, or its RECURRENCE-ID')
  }
  return event

  function only(name: string): ContentLine | undefined {
    const [line, another] = linesNamed(part, name)
    if (another) throw new DaysOffError(`line ${another.line}: an event has a second ${name}`, 'leave one of them out')
    return line
  }

  function problem(what: string, hint: string): DaysOffError {
    return new DaysOffError(`the event at line ${part.line} ${what}`, hint)
  }

  function momentOf({ isDate, localMs, zone }: When, line: ContentLine, unnamed: EventClock): Moment {
    if (isDate) return { isDate, localMs, clock: floating }
    const clock = zone === 'utc' ? utcClock : zone ? clockNamed(zone.tzid, line) : unnamed
    return { isDate, localMs, clock }
  }

  function spanOf(): EventLength {
    const [end, duration] = [only('DTEND'), only('DURATION')]
    if (end && duration) throw problem('has both a DTEND and a DURATION', 'leave one of them out')
    // A date alone means the whole day, a time alone a moment (RFC 5545, 3.6.1).
    if (!end && !duration) return { clockMs: start.isDate ? DAY_MS : 0, exactMs: 0 }
    if (end) return spanTo(momentOf(whenOf(end), end, own), start, end)
    return bounded(duration ? asSpan(lastingOf(duration)) : { clockMs: 0, exactMs: 0 })
  }

  function spanTo(end: Moment, from: Moment, line: ContentLine): EventLength {
    if (end.isDate !== from.isDate) {
      throw new DaysOffError(
        `line ${line.line}: an event begins with a ${from.isDate ? 'date and ends with a time' : 'time and ends with a date'}`,
        'write both as dates, or both as times',
      )
    }
    const isSame = end.isDate || end.clock === from.clock
    const endMs = isSame ? end.localMs : from.clock.localOf(end.clock.instantOf(end.localMs))
    if (endMs < from.localMs) {
      throw new DaysOffError(`line ${line.line}: an event ends before it begins`, 'an event must end after it begins')
    }
    return bounded({ clockMs: endMs - from.localMs, exactMs: 0 })
  }

  function bounded(span: EventLength): EventLength {
    if (span.clockMs + span.exactMs <= MAX_DAYS * DAY_MS) return span
    throw problem(`lasts longer than ${count(MAX_DAYS, 'day')}`, 'check its end')
  }

  function asSpan({ days, ms }: { days: number; ms: number }): EventLength {
    return { clockMs: days * DAY_MS, exactMs: ms }
  }

  function periods(line: ContentLine): (NamedMoment & { readonly span: EventLength })[] {
    return periodsOf(line).map(({ start: from, end }) => {
      const begin = momentOf(from, line, own)
      const span = 'days' in end ? bounded(asSpan(end)) : spanTo(momentOf(end, line, own), begin, line)
      return { ...begin, line: line.line, span }
    })
  }

  function replaced(): CalendarEvent['replaces'] {
    const line = only('RECURRENCE-ID')
    if (!line) return undefined
    const range = parameterOf(line, 'RANGE')?.toUpperCase()
    if (range !== undefined && range !== 'THISANDFUTURE') {
      throw new DaysOffError(
        `line ${line.line}: the RANGE is not known`,
        'write RANGE=THISANDFUTURE, or a separate event for each occurrence',
      )
    }
    if (!only('UID')) throw problem('has a RECURRENCE-ID and no UID', 'add the UID of the series that it belongs to')
    return { ...momentOf(whenOf(line), line, own), line: line.line, andFuture: range !== undefined }
  }
}
