import { OperationError } from './failure.ts'
import { floorDivide, NS_PER_MS } from './time.ts'
import type { Timestamp, Value } from './value.ts'

/** The cost of building a formatter for a time zone, in units. */
export const ZONE_UNITS = 2000

/** Whether the runtime knows a time zone by this name, such as `America/New_York`. */
export function isTimeZone(name: string): boolean {
  if (!ZONE_NAME.test(name)) return false
  // In a new process, reading the list takes a tenth of the time that making a formatter takes. The list lacks alias
  // names of zones.
  return Intl.supportedValuesOf('timeZone').includes(name) || offsetFormat(name) !== undefined
}

/** What is wrong with a zone: a name, or as in CEL an offset such as `+05:30`. */
export function zoneProblem(zone: Value): string | undefined {
  return typeof zone === 'string' && (OFFSET.test(zone) || isTimeZone(zone)) ? undefined : UNKNOWN_ZONE
}

const UNKNOWN_ZONE = 'there is no such time zone'

/** What a clock in a zone shows, as a Date whose UTC parts are the local ones. Throws OperationError. */
export function localDate({ ns }: Timestamp, zone: string): Date {
  const ms = Number(floorDivide(ns, NS_PER_MS))
  return new Date(ms + offsetMs(zone, ms))
}

function offsetMs(zone: string, ms: number): number {
  if (zone === 'UTC') return 0
  const [, sign, hours, minutes, seconds = '0'] = OFFSET.exec(zone) ?? OFFSET.exec(offsetAt(zone, ms)) ?? []
  const size = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
  return (sign === '-' ? -size : size) * 1000
}

/** For example, `+05:30`. For times before there were time zones, the offset includes seconds. */
function offsetAt(zone: string, ms: number): string {
  const format = ZONE_NAME.test(zone) ? offsetFormat(zone) : undefined
  if (!format) throw new OperationError(UNKNOWN_ZONE)
  const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')
  return name?.value.slice('GMT'.length) || '+00:00'
}

const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/
const OFFSET = /^([+-]?)([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/

/** Undefined if there is no such zone. */
function offsetFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
