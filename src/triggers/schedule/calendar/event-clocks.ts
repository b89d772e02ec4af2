import { DAY_MS } from '../../../core/duration.ts'
import { DaysOffError } from '../days-off.ts'
import { instantsOf } from '../local-time.ts'
import { type TimeZone, timeZone } from '../time-zone.ts'
import { type CalendarPart, linesNamed } from './calendar-parts.ts'
import type { EventClock } from './calendar-values.ts'
import type { ContentLine } from './content-lines.ts'
import type { Spend } from './expand-rule.ts'
import { zoneOfWindows } from './windows-zones.ts'
import { checkDefinition, clockOfDefinition, isDefinedAlike } from './zone-definition.ts'

/**
 * A time in a gap uses the offset before the gap. A time that occurs twice means its first occurrence (RFC 5545,
 * 3.3.5).
 */
export function clockOf(zone: TimeZone): EventClock {
  return {
    instantOf: (localMs) => {
      const instants = instantsOf(zone, localMs)
      // This time is in a gap: no gap is longer than a day.
      return instants.length > 0 ? Math.min(...instants) : localMs - zone.offsetAt(localMs - 1.5 * DAY_MS)
    },
    localOf: (ms) => ms + zone.offsetAt(ms),
  }
}

/**
 * The clocks of a calendar's zones, by TZID. The machine's zone with that name is preferred to a definition in the
 * calendar, because definitions are often out of date. But the definition must fit that zone. Throws DaysOffError for a
 * zone that neither knows, and for an impossible definition.
 */
export function eventClocks(
  definitions: readonly CalendarPart[],
  spend: Spend,
): (tzid: string, line: ContentLine) => EventClock {
  const known = new Map<string, EventClock>()
  const named = Map.groupBy(
    definitions.flatMap((part) => namesOf(part).map((name) => ({ name, part }))),
    ({ name }) => name,
  )
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
    const definition = definitionOf(tzid)
    // Programs write abbreviations such as EST for zones with a summer time, but the machine's zones of these names
    // have no summer time.
    const zone = definition && /^[A-Z]{2,5}$/i.test(tzid) ? undefined : knownZone(tzid)
    if (!zone) return definition && clockOfDefinition(definition, spend)
    if (definition) checkDefinition(definition, zone)
    return clockOf(zone)
  }

  function definitionOf(tzid: string): CalendarPart | undefined {
    const [first, ...others] = named.get(tzid)?.map(({ part }) => part) ?? []
    const other = others.find((one) => first && !isDefinedAlike(one, first))
    if (!other) return first
    throw new DaysOffError(
      `line ${other.line}: a second definition of a time zone differs from the first`,
      'leave one of them out, or give it a TZID of its own',
    )
  }
}

/** A name is text in which commas are escaped (RFC 5545, 3.8.3.1). As the parameter of a time, it is not escaped. */
function namesOf(part: CalendarPart): readonly string[] {
  return linesNamed(part, 'TZID').flatMap(({ value }) => [...new Set([value, value.replace(/\\([\\,;])/g, '$1')])])
}

/** Also accepts the spellings of some programs: in quotes, with the program's name in front, or a Windows name. */
function knownZone(tzid: string): TimeZone | undefined {
  const name = tzid.trim().replace(/^"(.*)"$/, '$1')
  for (const candidate of [name, zoneOfWindows(name), ...tails(name)]) {
    const zone = candidate === undefined ? undefined : namedZone(candidate)
    if (zone) return zone
  }
  return undefined
}

/** The possible zone names in a string such as `/mozilla.org/20050126_1/Europe/Berlin`, the longest first. */
function tails(name: string): string[] {
  if (!name.startsWith('/')) return []
  const parts = name.split('/')
  return [3, 2, 1].map((count) => parts.slice(-count).join('/'))
}

function namedZone(name: string): TimeZone | undefined {
  // The runtime also accepts offsets, which no calendar uses as names.
  if (!/^[A-Za-z]/.test(name)) return undefined
  try {
    return timeZone(name)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
