import { DAY_MS } from '../../../core/duration.ts'
import { count } from '../../../core/format/figures.ts'
import { DaysOffError } from '../days-off.ts'
import { type CalendarEvent, type EventLength, MAX_DAYS, type Moment, type NamedMoment } from './calendar-event.ts'
import { greatest, utcClock } from './calendar-values.ts'
import { checkComesAgain, expandRule, type Spend } from './expand-rule.ts'
import type { RecurrenceRule } from './recurrence-rule.ts'

export interface SeriesOccurrence {
  readonly start: Moment
  readonly span: EventLength
}

/**
 * The occurrences of a repeating event that can touch a time, given as local milliseconds of any clock. It may also
 * return some that do not touch it.
 */
export type EventSeries = (fromMs: number, toMs: number) => Iterable<SeriesOccurrence>

/** An event that replaces one or more occurrences of another. */
export type Replacing = CalendarEvent & { readonly replaces: NonNullable<CalendarEvent['replaces']> }

/** The clocks of two zones differ by less than this. */
const CLOCKS_MS = 2 * DAY_MS

/**
 * A repeating event, with the events that replace its occurrences. Those events count on their own; here they remove
 * the occurrences that they replace and, with `andFuture`, move the later ones. `spend` is charged for reading,
 * `spendYearly` for each year that is requested later. Throws DaysOffError.
 */
export function openSeries(
  master: CalendarEvent,
  replacing: readonly Replacing[],
  { spend, spendYearly }: { spend: Spend; spendYearly: Spend },
): EventSeries {
  const { start } = master
  const { isDate, clock } = start
  const keyOf = (localMs: number) => (isDate ? localMs : clock.instantOf(localMs))
  const out = placesOf([...master.exceptDates, ...replacing.map(({ replaces }) => replaces)])
  const changes = replacing
    .filter(({ replaces }) => replaces.andFuture)
    .map((event) => ({ event, fromMs: localIn(event.replaces) }))
    .sort((a, b) => b.fromMs - a.fromMs)
  const rules = master.rules.map((rule) => openRule(rule))
  const exceptRules = master.exceptRules.map((rule) => openRule(rule))
  const dates = master.dates.map((date) =>
    date.isDate && !isDate
      ? { start: date, span: { clockMs: DAY_MS, exactMs: 0 }, localMs: date.localMs }
      : { start: undefined, span: date.span ?? master.span, localMs: localIn(date) },
  )
  const spans = [master.span, ...changes.map(({ event }) => event.span), ...dates.map(({ span }) => span)]
  const longestMs = greatest(spans.map(({ clockMs, exactMs }) => clockMs + exactMs))
  const movedMs = greatest([0, ...changes.map(({ event, fromMs }) => Math.abs(event.start.localMs - fromMs))])
  if (movedMs > MAX_DAYS * DAY_MS) {
    throw new DaysOffError(
      `the event at line ${master.line} is moved by more than ${count(MAX_DAYS, 'day')}`,
      'check RECURRENCE-ID',
    )
  }
  const reachMs = longestMs + movedMs + CLOCKS_MS
  const years = 1 + (2 * reachMs) / (365 * DAY_MS)
  for (const { yearlySteps, line } of [...rules, ...exceptRules]) spendYearly(Math.ceil(yearlySteps * years), line)

  return function* (fromMs, toMs) {
    const [from, to] = [fromMs - reachMs, toMs + reachMs]
    const excepted = new Set(exceptRules.flatMap((rule) => [...rule.between(from, to)]))
    const isOut = (localMs: number) =>
      excepted.has(localMs) || out.keys.has(keyOf(localMs)) || out.days.has(Math.floor(localMs / DAY_MS))
    const starts = new Set([start.localMs, ...rules.flatMap((rule) => [...rule.between(from, to)])])
    for (const localMs of starts) {
      if (!isOut(localMs)) yield* changed(localMs, master.span)
    }
    for (const date of dates) {
      if (date.localMs < from || date.localMs > to || isOut(date.localMs)) continue
      if (date.start) yield { start: date.start, span: date.span }
      else yield* changed(date.localMs, date.span)
    }
  }

  /**
   * An occurrence. If `andFuture` events replace earlier occurrences, the last of these events changes it; if that
   * event is cancelled, there is no occurrence.
   */
  function* changed(localMs: number, span: EventLength): Generator<SeriesOccurrence> {
    const change = changes.find(({ fromMs }) => fromMs < localMs)
    if (!change) yield { start: { ...start, localMs }, span }
    else if (!change.event.isCancelled) yield { start: moved(localMs, change), span: change.event.span }
  }

  function moved(localMs: number, { event, fromMs }: (typeof changes)[number]): Moment {
    const to = event.start
    if (isDate) return { ...to, localMs: localMs + to.localMs - fromMs }
    if (to.isDate) return { ...to, localMs: midnight(localMs) + to.localMs - midnight(fromMs) }
    // A time in UTC gives an instant, but not the clock of the later occurrences.
    const frame = to.clock === utcClock ? clock : to.clock
    const inFrame = (ms: number) => (frame === clock ? ms : frame.localOf(clock.instantOf(ms)))
    const toMs = frame.localOf(to.clock.instantOf(to.localMs))
    return { isDate: false, localMs: inFrame(localMs) + toMs - inFrame(fromMs), clock: frame }
  }

  /** Removed occurrences: by their key, or all occurrences of a day. */
  function placesOf(moments: readonly NamedMoment[]) {
    const keys = new Set<number>()
    const days = new Set<number>()
    for (const moment of moments) {
      if (moment.isDate && !isDate) days.add(moment.localMs / DAY_MS)
      else keys.add(keyOf(localIn(moment)))
    }
    return { keys, days }
  }

  /** A moment on the clock of this event. A time at which a whole day begins becomes that day. */
  function localIn(moment: NamedMoment): number {
    if (!isDate)
      return moment.isDate || moment.clock === clock
        ? moment.localMs
        : clock.localOf(moment.clock.instantOf(moment.localMs))
    if (moment.isDate) return moment.localMs
    if (moment.clock === utcClock && moment.localMs !== midnight(moment.localMs)) {
      throw new DaysOffError(
        `line ${moment.line}: it is unclear which day of an all-day event this time in UTC means`,
        'write the date, as ;VALUE=DATE:20261225',
      )
    }
    return midnight(moment.localMs)
  }

  function openRule(rule: RecurrenceRule) {
    checkComesAgain(rule, start, { spend, owner: 'an event' })
    const { count } = rule
    const isBefore = untilCheck(rule)
    const counted = count === undefined ? undefined : firstOf(rule, count)
    return {
      line: rule.line,
      yearlySteps: counted ? counted.length : yearlySteps(rule),
      *between(fromMs: number, toMs: number): Generator<number> {
        const times = counted ?? expandRule(rule, start.localMs, { isDate, fromMs, toMs, spend: () => undefined })
        for (const localMs of times) {
          if (localMs > toMs || !isBefore(localMs)) return
          if (localMs >= fromMs) yield localMs
        }
      },
    }
  }

  function firstOf(rule: RecurrenceRule, count: number): number[] {
    const found: number[] = []
    for (const localMs of expandRule(rule, start.localMs, { isDate, spend })) {
      if (found.push(localMs) === count) break
    }
    return found
  }

  /** UNTIL in UTC is an instant; a date is that whole day. */
  function untilCheck({ until }: RecurrenceRule): (localMs: number) => boolean {
    if (!until) return () => true
    if (until.isDate || isDate) return (localMs) => midnight(localMs) <= midnight(until.localMs)
    return until.zone === 'utc' ? (ms) => clock.instantOf(ms) <= until.localMs : (ms) => ms <= until.localMs
  }
}

/** The maximum number of days that must be checked in a year. A day counts once for each time on that day. */
function yearlySteps({ freq, months, interval, hours, minutes, seconds }: RecurrenceRule): number {
  const times = [hours, minutes, seconds].reduce((product, list) => product * (list?.length ?? 1), 1)
  if (freq === 'YEARLY') return (months ? months.length * 31 : 366) * times
  return Math.ceil(366 / (freq === 'MONTHLY' ? 1 : interval)) * times
}

function midnight(localMs: number): number {
  return Math.floor(localMs / DAY_MS) * DAY_MS
}
