import { OperationError } from './failure.ts'
import { floorDivide, NS_PER_MS } from './time.ts'
import type { Timestamp, Value } from './value.ts'

/** Cost of building a formatter for a time zone, in units. */
export const ZONE_UNITS = 2000

/** Whether the runtime knows a time zone by this name, such as `America/New_York`. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name)) return false
  // The list is available at once, but lacks alias names of zones. Making a formatter takes ten times as long.
  if (Intl.supportedValuesOf('timeZone').includes(name)) return true
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** What is wrong with the name of a zone. Like CEL, it may also be an offset such as `+05:30`. */
export function zoneProblem(zone: Value): string | undefined {
  const isKnown = typeof zone === 'string' && (OFFSET.test(zone) || isTimeZone(zone))
  return isKnown ? undefined : 'there is no such time zone'
}

/** What a clock in a zone shows, as a Date whose UTC parts are the local ones. Throws OperationError. */
export function localTime({ ns }: Timestamp, zone: string): Date {
  const problem = zoneProblem(zone)
  if (problem) throw new OperationError(problem)
  const ms = Number(floorDivide(ns, NS_PER_MS))
  return new Date(ms + offsetMs(zone, ms))
}

function offsetMs(zone: string, ms: number): number {
  if (zone === 'UTC') return 0
  // The runtime writes GMT+05:30, for times before there were zones with seconds.
  const parts = OFFSET.test(zone) ? [] : offsetFormat(zone).formatToParts(ms)
  const text = parts.find(({ type }) => type === 'timeZoneName')?.value.slice(3) ?? zone
  const [, sign, hours, minutes, seconds = '0'] = OFFSET.exec(text) ?? []
  const size = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
  return (sign === '-' ? -size : size) * 1000
}

const OFFSET = /^([+-]?)(\d\d):(\d\d)(?::(\d\d))?$/

function offsetFormat(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
}
