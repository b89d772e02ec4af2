import { DAY_MS } from '../../../core/duration.ts'
import { DaysOffError } from '../days-off.ts'
import { instantsOf } from '../local-time.ts'
import { type TimeZone, timeZone } from '../time-zone.ts'
import type { CalendarPart } from './calendar-parts.ts'
import { type EventClock, whenOf, whensOf } from './calendar-values.ts'
import type { ContentLine } from './content-lines.ts'
import { expandRule, type Spend } from './expand-rule.ts'
import { readRule } from './recurrence-rule.ts'
import { zoneOfWindows } from './windows-zones.ts'

export const utcClock: EventClock = { instantOf: (localMs) => localMs, localOf: (ms) => ms }

/** A time in a gap counts with the offset before it, a time that comes twice is the first one (RFC 5545, 3.3.5). */
export function clockOf(zone: TimeZone): EventClock {
  const offsetOn = evenOffsets(zone)
  return {
    instantOf: (localMs) => {
      const day = Math.floor(localMs / DAY_MS)
      const offset = offsetOn(day)
      if (offset !== undefined && offset === offsetOn(day - 1) && offset === offsetOn(day + 1)) return localMs - offset
      const instants = instantsOf(zone, localMs)
      // In a gap: no gap is longer than a day.
      return instants.length > 0 ? Math.min(...instants) : localMs - zone.offsetAt(localMs - 1.5 * DAY_MS)
    },
    localOf: (ms) => ms + (offsetOn(Math.floor(ms / DAY_MS)) ?? zone.offsetAt(ms)),
  }
}

/** The offset on a day of UTC without a change of clocks. The runtime takes long to tell one. */
function evenOffsets(zone: TimeZone): (day: number) => number | undefined {
  const known = new Map<number, number | undefined>()
  return (day) => {
    if (known.has(day)) return known.get(day)
    const offset = zone.offsetAt(day * DAY_MS)
    const even = offset === zone.offsetAt((day + 1) * DAY_MS) ? offset : undefined
    if (known.size >= MAX_DAYS_KNOWN) known.clear()
    known.set(day, even)
    return even
  }
}

const MAX_DAYS_KNOWN = 20_000

/**
 * The clocks of the zones of a calendar, by their TZID. The machine's zone of that name is preferred to a definition in
 * the calendar, because definitions are often out of date. Throws DaysOffError for a zone that neither knows.
 */
export function eventClocks(
  definitions: readonly CalendarPart[],
  spend: Spend,
): (tzid: string, line: ContentLine) => EventClock {
  const known = new Map<string, EventClock>()
  return (tzid, line) => {
    const clock = known.get(tzid) ?? clockNamed(tzid)
    if (!clock) {
      const hint = 'name a zone such as Europe/Berlin, or add its VTIMEZONE to the calendar'
      throw new DaysOffError(`line ${line.line}: the time zone of an event is not known`, hint)
    }
    known.set(tzid, clock)
    return clock
  }

  function clockNamed(tzid: string): EventClock | undefined {
    // Programs write abbreviations such as EST for zones with a summer time, which those names do not have.
    const isAbbreviation = /^[A-Z]{2,5}$/i.test(tzid)
    return isAbbreviation ? (definedClock(tzid) ?? knownClock(tzid)) : (knownClock(tzid) ?? definedClock(tzid))
  }

  function definedClock(tzid: string): EventClock | undefined {
    const part = definitions.find(({ lines }) => lines.some((one) => one.name === 'TZID' && one.value === tzid))
    return part && clockOfDefinition(part, spend)
  }
}

/** Also as some programs write it: with quotes, with their own name before it, or as Windows names it. */
function knownClock(tzid: string): EventClock | undefined {
  const name = tzid.trim().replace(/^"(.*)"$/, '$1')
  for (const candidate of [name, zoneOfWindows(name), ...tails(name)]) {
    const zone = candidate === undefined ? undefined : namedZone(candidate)
    if (zone) return clockOf(zone)
  }
  return undefined
}

/** `/mozilla.org/20050126_1/Europe/Berlin`: what may be the name of the zone in it, the longest first. */
function tails(name: string): string[] {
  if (!name.startsWith('/')) return []
  const parts = name.split('/')
  return [3, 2, 1].map((count) => parts.slice(-count).join('/'))
}

function namedZone(name: string): TimeZone | undefined {
  // The runtime also takes offsets, and these are of no calendar.
  if (!/^[A-Za-z]/.test(name)) return undefined
  try {
    return timeZone(name)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

interface Onset {
  /** By the clock before it. */
  readonly localMs: number
  readonly fromMs: number
  readonly toMs: number
}

/** Changes of the clock are worked out between these years. */
const FROM_MS = Date.UTC(1900, 0, 1)
const TO_MS = Date.UTC(2200, 0, 1)

function clockOfDefinition(definition: CalendarPart, spend: Spend): EventClock {
  const observances = definition.parts.filter(({ name }) => name === 'STANDARD' || name === 'DAYLIGHT')
  const onsets = observances.flatMap((part) => onsetsOf(part, spend)).sort((a, b) => a.localMs - b.localMs)
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

/** -1 if there is none. */
function lastAtOrBefore(onsets: readonly Onset[], localMs: number): number {
  let [low, high] = [-1, onsets.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((onsets[middle]?.localMs ?? 0) <= localMs) low = middle
    else high = middle - 1
  }
  return low
}

function onsetsOf(part: CalendarPart, spend: Spend): Onset[] {
  const lineOf = (name: string) => part.lines.find((line) => line.name === name)
  const start = lineOf('DTSTART')
  const [fromMs, toMs] = ['TZOFFSETFROM', 'TZOFFSETTO'].map((name) => offsetOf(lineOf(name), part))
  if (!start || fromMs === undefined || toMs === undefined) throw badDefinition(part)
  const { localMs, isDate } = whenOf(start)
  if (isDate) throw badDefinition(part)
  const times = new Set([localMs])
  for (const line of part.lines) {
    if (line.name === 'RDATE') for (const when of whensOf(line)) times.add(when.localMs)
    if (line.name !== 'RRULE') continue
    const rule = readRule(line)
    const { count, until } = rule
    const untilMs = until && (until.zone === 'utc' ? until.localMs + fromMs : until.localMs)
    let found = 0
    const range = { isDate: false, toMs: Math.min(TO_MS, untilMs ?? TO_MS), spend }
    for (const at of expandRule(rule, localMs, count === undefined ? { ...range, fromMs: FROM_MS } : range)) {
      if (count !== undefined && ++found > count) break
      times.add(at)
    }
  }
  return [...times].map((at) => ({ localMs: at, fromMs, toMs }))
}

function offsetOf(line: ContentLine | undefined, part: CalendarPart): number {
  const [, sign, hours = '', minutes = '', seconds = '0'] =
    /^([+-])(\d\d):?(\d\d)(\d\d)?$/.exec(line?.value.trim() ?? '') ?? []
  if (sign === undefined) throw badDefinition(part)
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -ms : ms
}

function badDefinition({ line }: CalendarPart): DaysOffError {
  return new DaysOffError(
    `the part of a time zone at line ${line} cannot be understood`,
    'it has DTSTART, TZOFFSETFROM and TZOFFSETTO, such as +0100',
  )
}
