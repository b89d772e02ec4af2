import { DAY_MS } from '../../core/duration.ts'
import { offsetText } from '../../core/format/time-text.ts'
import type { TimeZone } from './time-zone.ts'

/** An instant as the clocks of a zone show it. */
export interface LocalTime {
  /** `2026-03-08` */
  readonly date: string
  /** `03:00` */
  readonly time: string
  /** `-04:00`; `Z` for UTC. */
  readonly offset: string
}

/** The local time of an instant in milliseconds since 1970. */
export function localTime(zone: TimeZone, ms: number): LocalTime {
  const { offsetMs } = zone.stretchAt(ms)
  return { ...clockTime(ms + offsetMs), offset: zone.name === 'UTC' ? 'Z' : offsetText(offsetMs) }
}

/** The date and the clock time of a local time that is written as milliseconds in UTC. */
export function clockTime(localMs: number): Pick<LocalTime, 'date' | 'time'> {
  const [date = '', time = ''] = new Date(localMs).toISOString().split('T')
  return { date, time: time.slice(0, 5) }
}

/**
 * The instants of a local time, which is written as milliseconds in UTC: none in a gap, two where clocks went back,
 * otherwise one.
 */
export function instantsOf(zone: TimeZone, localMs: number): number[] {
  const offsets = new Set([zone.offsetAt(localMs - DAY_MS), zone.offsetAt(localMs + DAY_MS)])
  return [...offsets].map((offset) => localMs - offset).filter((at) => at + zone.offsetAt(at) === localMs)
}

/** The first instant at which the clocks show a local time, written as milliseconds in UTC; in a gap, its end. */
export function firstInstantOf(zone: TimeZone, localMs: number): number {
  const instants = instantsOf(zone, localMs)
  if (instants.length > 0) return Math.min(...instants)
  return zone.stretchAt(localMs - zone.offsetAt(localMs - LONGEST_GAP_MS)).from
}

/** Longer than a gap and an offset together: Samoa once skipped a day. */
const LONGEST_GAP_MS = 1.6 * DAY_MS
