import { DAY_MS } from '../../core/duration.ts'

/** A period in which the clocks of a zone run evenly. Instants are in milliseconds since 1970. */
export interface Stretch {
  readonly from: number
  /** Not included. */
  readonly to: number
  /** How far local time is ahead of UTC. */
  readonly offsetMs: number
  /** The offset just before `from`; it differs if clocks change at `from`. */
  readonly offsetBeforeMs: number
  /** Local times before this instant have already occurred, because clocks went back; equal to `from` if none has. */
  readonly repeatsUntil: number
}

/** The clocks of a time zone. */
export interface TimeZone {
  readonly name: string
  offsetAt(ms: number): number
  /** The stretch that contains an instant; at most one day of UTC. */
  stretchAt(ms: number): Stretch
}

/** More days than the search for the coming slots needs. Evicted days are computed again. */
const MAX_DAYS = 2000

/**
 * A zone by its IANA name. It finds changes by comparing the runtime's offsets at both ends of a day. No zone changes
 * its clocks back and forth within one day (a test checks every zone). Throws a RangeError for an unknown name.
 */
export function timeZone(name: string): TimeZone {
  const known = zones.get(name)
  if (known) return known
  const zone = createTimeZone(name)
  if (zones.size >= MAX_ZONES) zones.clear()
  zones.set(name, zone)
  return zone
}

/** A formatter takes 25 kB, and many schedules share a zone. An evicted zone and its replacement behave the same. */
const zones = new Map<string, TimeZone>()
const MAX_ZONES = 500

function createTimeZone(name: string): TimeZone {
  const offsetAt = offsetReader(name)
  const days = new Map<number, readonly Stretch[]>()
  const stretchesOf = (day: number): readonly Stretch[] => {
    const known = days.get(day)
    if (known) return known
    const stretches = stretchesBetween(day * DAY_MS, (day + 1) * DAY_MS)
    if (days.size >= MAX_DAYS) days.clear()
    days.set(day, stretches)
    return stretches
  }
  const stretchesBetween = (start: number, end: number): Stretch[] => {
    const stretches: Stretch[] = []
    const last = offsetAt(end - 1)
    let from = start
    let offsetBeforeMs = offsetAt(start - 1)
    let repeatsUntil = repeatedFrom(start, offsetBeforeMs)
    while (from < end) {
      const offsetMs = offsetAt(from)
      const to = offsetMs === last ? end : changeBetween(offsetAt, from, end)
      repeatsUntil = Math.max(from, repeatsUntil, from + offsetBeforeMs - offsetMs)
      stretches.push({ from, to, offsetMs, offsetBeforeMs, repeatsUntil })
      offsetBeforeMs = offsetMs
      from = to
    }
    return stretches
  }
  /** The instant from which the local times of a day with a clock change repeat on the next day. */
  const repeatedFrom = (start: number, offsetBeforeMs: number): number => {
    if (offsetAt(start - DAY_MS - 1) <= offsetBeforeMs) return start
    return stretchesOf(start / DAY_MS - 1).at(-1)?.repeatsUntil ?? start
  }
  const stretchAt = (ms: number): Stretch => {
    const stretches = stretchesOf(Math.floor(ms / DAY_MS))
    const stretch = stretches.find(({ to }) => ms < to)
    if (!stretch) throw new RangeError(`there is no time ${ms}`)
    return stretch
  }
  return { name, offsetAt, stretchAt }
}

/** The first instant after `from` whose offset differs from that at `from`; there is one before `end`. */
function changeBetween(offsetAt: (ms: number) => number, from: number, end: number): number {
  const offset = offsetAt(from)
  let same = from
  let other = end - 1
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2)
    if (offsetAt(middle) === offset) same = middle
    else other = middle
  }
  return other
}

function offsetReader(name: string): (ms: number) => number {
  if (name === 'UTC') return () => 0
  const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' })
  return (ms) => {
    const match = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(format.format(ms))
    if (!match) throw new Error(`the runtime does not report the offset of ${name}`)
    const [, sign, hours = 0, minutes = 0, seconds = 0] = match
    const offsetMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
    return sign === '-' ? -offsetMs : offsetMs
  }
}
