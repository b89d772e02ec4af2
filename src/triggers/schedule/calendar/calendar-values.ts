import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/duration.ts'
import { DaysOffError, isDay } from '../days-off.ts'
import { type ContentLine, parameterOf } from './content-lines.ts'

/** The clock of an event. Local times are milliseconds since 1970, as if they were in UTC. */
export interface EventClock {
  instantOf(localMs: number): number
  localOf(ms: number): number
}

export const utcClock: EventClock = { instantOf: (localMs) => localMs, localOf: (ms) => ms }

/** A date, or a time on some clock. */
export interface When {
  readonly isDate: boolean
  readonly localMs: number
  /** Undefined for a date, and for a floating time. */
  readonly zone: 'utc' | { readonly tzid: string } | undefined
}

export interface Lasting {
  readonly days: number
  /** The time in addition to the days. Days follow the clock, and hours do not. */
  readonly ms: number
}

const DATE = /^(\d{4})(\d\d)(\d\d)$/
const TIME = /^(\d{4})(\d\d)(\d\d)T([01]\d|2[0-3])([0-5]\d)([0-5]\d|60)(Z?)$/i
/** Weeks cannot be combined with other units (RFC 5545, 3.3.6). */
const DURATION = /^\+?P(?=\d|T\d)(?:(\d+)W|(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?)$/i

/** What a line belongs to, for its errors. */
export type LineOwner = 'an event' | 'a time zone'

/** The one value of a line with a date or time. */
export function whenOf(line: ContentLine, owner?: LineOwner): When {
  const [when, another] = whensOf(line, owner)
  if (!when || another) throw noTime(line, owner)
  return when
}

/** The values of a line with dates or times. Throws DaysOffError. */
export function whensOf(line: ContentLine, owner?: LineOwner): When[] {
  const declared = parameterOf(line, 'VALUE')?.toUpperCase()
  return line.value.split(',').map((text) => {
    const when = parseWhen(text.trim(), parameterOf(line, 'TZID'))
    if (!when || (declared !== undefined && declared !== (when.isDate ? 'DATE' : 'DATE-TIME')))
      throw noTime(line, owner)
    return when
  })
}

/** The periods of a line with `VALUE=PERIOD`, each with its end or its length. Throws DaysOffError. */
export function periodsOf(line: ContentLine): { readonly start: When; readonly end: When | Lasting }[] {
  const tzid = parameterOf(line, 'TZID')
  return line.value.split(',').map((text) => {
    const [from = '', to = '', more] = text.trim().split('/')
    const start = parseWhen(from, tzid)
    const end = parseWhen(to, tzid) ?? parseLasting(to)
    if (!start || start.isDate || !end || ('isDate' in end && end.isDate) || more !== undefined) {
      const hint = 'write it as 20261224T090000Z/20261224T170000Z or 20261224T090000Z/PT8H'
      throw new DaysOffError(`line ${line.line}: ${known(line)} of an event is not a period`, hint)
    }
    return { start, end }
  })
}

/** Throws DaysOffError. */
export function lastingOf(line: ContentLine): Lasting {
  const lasting = parseLasting(line.value.trim())
  if (lasting) return lasting
  throw new DaysOffError(
    `line ${line.line}: the DURATION of an event cannot be understood`,
    'write it as P1D, PT8H30M or P2W',
  )
}

/**
 * A date or time without its line; undefined if the text is not one, or if it says both that it is in UTC and that it
 * is in another zone. A last second of 60 is read as 59.
 */
export function parseWhen(text: string, tzid?: string): When | undefined {
  const [, year = '', month = '', day = '', hour, minute = '', second = '', utc] =
    TIME.exec(text) ?? DATE.exec(text) ?? []
  const date = `${year}-${month}-${day}`
  if (!isDay(date)) return undefined
  const midnight = Date.parse(`${date}T00:00:00Z`)
  if (hour === undefined) return { isDate: true, localMs: midnight, zone: undefined }
  if (utc && tzid !== undefined && !/^(.*\/)?(UTC|GMT|Z|Zulu|Universal)$/i.test(tzid)) return undefined
  const localMs = midnight + Number(hour) * HOUR_MS + Number(minute) * MINUTE_MS + Math.min(59, Number(second)) * 1000
  return { isDate: false, localMs, zone: utc ? 'utc' : tzid === undefined ? undefined : { tzid } }
}

function parseLasting(text: string): Lasting | undefined {
  const match = DURATION.exec(text)
  if (!match) return undefined
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0))
  const lasting = { days: weeks * 7 + days, ms: hours * HOUR_MS + minutes * MINUTE_MS + seconds * 1000 }
  return lasting.days + lasting.ms / DAY_MS < 1e6 ? lasting : undefined
}

function noTime(line: ContentLine, owner: LineOwner = 'an event'): DaysOffError {
  return new DaysOffError(
    `line ${line.line}: ${known(line)} of ${owner} is not a date or a time`,
    'write a date as ;VALUE=DATE:20261225, a time as :20261225T090000 or :20261225T080000Z',
  )
}

/** Only names that this program knows are repeated, because the file may contain secrets. */
function known({ name }: ContentLine): string {
  return `the ${name}`
}

/** This does not use `Math.max(...)`, because a calendar can have more values than a call can take as arguments. */
export function greatest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY)
}
