import { DAY_MS, HOUR_MS } from '../../../core/duration.ts'
import { DaysOffError } from '../days-off.ts'
import type { TimeZone } from '../time-zone.ts'
import { type CalendarPart, linesNamed } from './calendar-parts.ts'
import { type EventClock, greatest, type When, whensOf } from './calendar-values.ts'
import type { ContentLine } from './content-lines.ts'
import { checkComesAgain, expandRule, type Spend } from './expand-rule.ts'
import { type RecurrenceRule, readRule } from './recurrence-rule.ts'

/** A STANDARD or DAYLIGHT part of a time zone. Times are on the clock before the change. */
interface Observance {
  readonly fromMs: number
  readonly toMs: number
  /** The number of the line that states `toMs`. */
  readonly toLine: number
  readonly startMs: number
  readonly times: readonly number[]
  readonly rules: readonly { readonly rule: RecurrenceRule; readonly untilMs: number }[]
}

interface Onset {
  /** On the clock before the change. */
  readonly localMs: number
  readonly fromMs: number
  readonly toMs: number
}

/** Clock changes are worked out between these years. */
const FROM_MS = Date.UTC(1900, 0, 1)
const TO_MS = Date.UTC(2200, 0, 1)

/** No clock differs from UTC by more than this. */
const MAX_OFFSET_MS = 14 * HOUR_MS
/** Before there were zones, clocks followed the sun, even across the date line. */
const MAX_SUN_MS = 16 * HOUR_MS

/** The clock that a definition describes. Throws DaysOffError. */
export function clockOfDefinition(definition: CalendarPart, spend: Spend): EventClock {
  const onsets = observancesOf(definition)
    .flatMap((observance) => onsetsOf(observance, spend))
    .sort((a, b) => a.localMs - b.localMs)
  const [first] = onsets
  if (!first) {
    throw new DaysOffError(
      `the time zone at line ${definition.line} has no STANDARD and no DAYLIGHT part`,
      'export the calendar again, or name zones such as Europe/Berlin in the events',
    )
  }
  const offsets = [...new Set(onsets.flatMap(({ fromMs, toMs }) => [fromMs, toMs]))]
  const offsetAt = (localMs: number): number => {
    const onset = onsets[lastAtOrBefore(onsets, localMs)]
    if (!onset) return first.fromMs
    return localMs - onset.localMs < onset.toMs - onset.fromMs ? onset.fromMs : onset.toMs
  }
  const instantOf = (localMs: number) => localMs - offsetAt(localMs)
  return {
    instantOf,
    localOf: (ms) => ms + (offsets.find((offset) => instantOf(ms + offset) === ms) ?? offsetAt(ms)),
  }
}

/** The index of the last change; -1 if there is none. */
function lastAtOrBefore(onsets: readonly Onset[], localMs: number): number {
  let [low, high] = [-1, onsets.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((onsets[middle]?.localMs ?? 0) <= localMs) low = middle
    else high = middle - 1
  }
  return low
}

/**
 * Throws DaysOffError if a definition does not fit a zone that the machine knows. It may be old or incomplete, but for
 * the time since 1970 it may have only offsets that the zone has had.
 */
export function checkDefinition(definition: CalendarPart, zone: TimeZone): void {
  const observances = observancesOf(definition).map((observance) => ({ observance, lastMs: lastOf(observance) }))
  const sinceMs = Math.min(Date.UTC(1970, 0, 1), greatest(observances.map(({ lastMs }) => lastMs)))
  for (const { observance, lastMs } of observances) {
    if (lastMs < sinceMs || hasHadOffset(zone, observance.toMs)) continue
    throw new DaysOffError(
      `line ${observance.toLine}: the definition of a time zone has an offset that the zone with this name never had`,
      'correct the definition or leave it out, or give it a TZID of its own',
    )
  }
}

/** Whether two definitions with the same name are equal. */
export function isDefinedAlike(one: CalendarPart, other: CalendarPart): boolean {
  const [mine, others] = [one, other].map((part) =>
    observancesOf(part)
      .map(({ fromMs, toMs, times, rules }) =>
        JSON.stringify([fromMs, toMs, times, rules.map(({ rule }) => ({ ...rule, line: 0 }))]),
      )
      .sort()
      .join(),
  )
  return mine === others
}

/** It is enough to check each month, because summer time lasts longer than a month. */
function hasHadOffset(zone: TimeZone, offsetMs: number): boolean {
  for (let month = (2038 - 1970) * 12; month >= 0; month--)
    if (zone.offsetAt(Date.UTC(1970, month, 15)) === offsetMs) return true
  return false
}

/** The time of the last change that a part describes. */
function lastOf({ times, rules }: Observance): number {
  const ends = rules.map(({ rule, untilMs }) => (rule.count === undefined ? untilMs : TO_MS))
  return greatest([...times, ...ends])
}

function observancesOf(definition: CalendarPart): Observance[] {
  return definition.parts.filter(({ name }) => name === 'STANDARD' || name === 'DAYLIGHT').map(readObservance)
}

function readObservance(part: CalendarPart): Observance {
  const [start, from, to] = [only(part, 'DTSTART'), only(part, 'TZOFFSETFROM'), only(part, 'TZOFFSETTO')]
  const fromMs = offsetOf(from)
  const [startMs = 0, another] = timesOf(start)
  if (another !== undefined) throw twice(start)
  const times = [startMs, ...linesNamed(part, 'RDATE').flatMap(timesOf)]
  const rules = linesNamed(part, 'RRULE').map((line) => {
    const rule = readRule(line, 'a time zone')
    return { rule, untilMs: rule.until ? untilOf(rule.until) : TO_MS }
  })
  const toMs = offsetOf(to)
  const isOld = rules.length === 0 && times.every((ms) => ms < FROM_MS)
  for (const [ms, line] of [[fromMs, from] as const, [toMs, to] as const])
    if (Math.abs(ms) > (isOld ? MAX_SUN_MS : MAX_OFFSET_MS)) throw noOffset(line)
  return { fromMs, toMs, toLine: to.line, startMs, times, rules }

  /** RFC 5545 does not allow a time in UTC here, but its meaning is clear. */
  function timesOf(line: ContentLine): number[] {
    return whensOf(line, 'a time zone').map(({ isDate, localMs, zone }) => {
      if (!isDate) return zone === 'utc' ? localMs + fromMs : localMs
      const hint = 'write it as a local time, such as 20261025T030000'
      throw new DaysOffError(`line ${line.line}: the ${line.name} of a time zone is a date without a time`, hint)
    })
  }

  function untilOf({ isDate, localMs, zone }: When): number {
    if (isDate) return localMs + DAY_MS - 1
    return zone === 'utc' ? localMs + fromMs : localMs
  }
}

function onsetsOf({ fromMs, toMs, startMs, times, rules }: Observance, spend: Spend): Onset[] {
  const found = new Set(times)
  for (const { rule, untilMs } of rules) {
    checkComesAgain(rule, { localMs: startMs, isDate: false }, { spend, owner: 'a time zone' })
    let count = 0
    const range = { isDate: false, toMs: Math.min(TO_MS, untilMs), spend }
    for (const at of expandRule(rule, startMs, rule.count === undefined ? { ...range, fromMs: FROM_MS } : range)) {
      if (rule.count !== undefined && ++count > rule.count) break
      found.add(at)
    }
  }
  return [...found].map((localMs) => ({ localMs, fromMs, toMs }))
}

function only(part: CalendarPart, name: string): ContentLine {
  const [line, another] = linesNamed(part, name)
  if (another) throw twice(another)
  if (line) return line
  throw new DaysOffError(
    `the part of a time zone at line ${part.line} has no ${name}`,
    'it needs DTSTART, TZOFFSETFROM and TZOFFSETTO, such as +0100',
  )
}

function twice({ line, name }: ContentLine): DaysOffError {
  return new DaysOffError(`line ${line}: a part of a time zone has a second ${name}`, 'leave one of them out')
}

/** Seconds are optional, and some programs write a colon. */
function offsetOf(line: ContentLine): number {
  const [, sign, hours = '', minutes = '', seconds = '0'] =
    /^([+-])(\d\d):?([0-5]\d)([0-5]\d)?$/.exec(line.value.trim()) ?? []
  if (sign === undefined) throw noOffset(line)
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -ms : ms
}

function noOffset({ line, name }: ContentLine): DaysOffError {
  return new DaysOffError(
    `line ${line}: the ${name} of a time zone is not an offset that exists`,
    'write it as +0100 or -0530, from -1400 to +1400',
  )
}
