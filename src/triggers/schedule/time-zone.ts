import { createRequire } from 'node:module'
import type * as polyfill from 'temporal-polyfill'

/** A period in which the clocks of a zone run evenly. Instants are in milliseconds since 1970. */
export interface Stretch {
  readonly from: number
  /** Not included. */
  readonly to: number
  /** How far local time is ahead of UTC. */
  readonly offsetMs: number
  /** The offset just before `from`; it differs if clocks change at `from`. */
  readonly offsetBeforeMs: number
  /**
   * Until this instant, the clocks show local times that have already occurred, because clocks went back; equal to
   * `from` if they did not go back.
   */
  readonly repeatsUntil: number
}

/** The clocks of a time zone. */
export interface TimeZone {
  readonly name: string
  offsetAt(ms: number): number
  /** The stretch that contains an instant. */
  stretchAt(ms: number): Stretch
}

/** A zone by its IANA name. Throws a RangeError for an unknown name. */
export function timeZone(name: string): TimeZone {
  const known = zones.get(name)
  if (known) return known
  const zone = createTimeZone(name)
  if (zones.size >= MAX_ZONES) zones.clear()
  zones.set(name, zone)
  return zone
}

/** Many schedules share a zone. An evicted zone and its replacement behave the same. */
const zones = new Map<string, TimeZone>()
const MAX_ZONES = 500

function createTimeZone(name: string): TimeZone {
  // Loaded here, because it takes 20 ms and 5 MB, and most commands read no time of a schedule.
  const { Temporal } = createRequire(import.meta.url)('temporal-polyfill') as typeof polyfill
  const clockAt = (ms: number) => Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(name)
  const offsetFrom = (ms: number) => clockAt(ms).offsetNanoseconds / NS_PER_MS
  const findStretch = (ms: number): Stretch => {
    const from = clockAt(ms + 1).getTimeZoneTransition('previous')?.epochMilliseconds ?? FIRST_MS
    const to = clockAt(ms).getTimeZoneTransition('next')?.epochMilliseconds ?? LAST_MS
    const [offsetMs, offsetBeforeMs] = [offsetFrom(from), offsetFrom(from - 1)]
    return { from, to, offsetMs, offsetBeforeMs, repeatsUntil: from + Math.max(0, offsetBeforeMs - offsetMs) }
  }
  let last = findStretch(0)
  const stretchAt = (ms: number): Stretch => {
    if (ms < last.from || ms >= last.to) last = findStretch(ms)
    return last
  }
  return { name, offsetAt: (ms) => stretchAt(ms).offsetMs, stretchAt }
}

const NS_PER_MS = 1e6
/** The first and the last year that a slot can have. */
const FIRST_MS = Date.UTC(1, 0, 1)
const LAST_MS = Date.UTC(10_000, 0, 1)
