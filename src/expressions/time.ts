import { OperationError } from './failure.ts'
import { Duration, Timestamp } from './value.ts'

/** Limits and text forms of timestamps and durations. Both count nanoseconds, as in CEL. */

export const NS_PER_MS = 1_000_000n
export const NS_PER_SECOND = 1_000_000_000n

/** A timestamp is in the years 1 to 9999. Throws OperationError. */
export function timestampAt(ns: bigint): Timestamp {
  if (ns < MIN_TIMESTAMP_NS || ns > MAX_TIMESTAMP_NS) throw new OperationError(OUTSIDE_OF_YEARS)
  return new Timestamp(ns)
}

/** The timestamp for a JavaScript time, in milliseconds since 1970. */
export function timestampAtMs(ms: number): Timestamp {
  return timestampAt(BigInt(ms) * NS_PER_MS)
}

const OUTSIDE_OF_YEARS = 'the timestamp is outside the years 1 to 9999'
const MIN_TIMESTAMP_NS = -62_135_596_800n * NS_PER_SECOND
const MAX_TIMESTAMP_NS = 253_402_300_800n * NS_PER_SECOND - 1n

/** A duration has 64 bits. Throws OperationError. */
export function durationValueOf(ns: bigint): Duration {
  if (BigInt.asIntN(64, ns) !== ns) throw new OperationError(TOO_LONG)
  return new Duration(ns)
}

const TOO_LONG = 'the duration is longer than 292 years'

/** The timestamp that a text such as `2026-01-31T08:00:00Z` describes. Throws OperationError. */
export function parseTimestamp(text: string): Timestamp {
  const [matched, seconds, fraction = '', zone] = TIMESTAMP.exec(text) ?? []
  const ms = matched === undefined ? Number.NaN : Date.parse(`${seconds}${zone}`)
  if (Number.isNaN(ms)) throw new OperationError('a timestamp looks like 2026-01-31T08:00:00Z')
  return timestampAt(BigInt(ms) * NS_PER_MS + BigInt(fraction.slice(1).padEnd(9, '0')))
}

const TIMESTAMP = /^(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d)(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/

/** RFC 3339 in UTC, with 0, 3, 6 or 9 digits for the fraction of a second: as few as possible without losing any. */
export function formatTimestamp({ ns }: Timestamp): string {
  const seconds = floorDivide(ns, NS_PER_SECOND)
  const fraction = String(ns - seconds * NS_PER_SECOND).padStart(9, '0')
  const digits = fraction.replace(/^(...)??(...)??(000)*$/, '$1$2')
  return new Date(Number(seconds) * 1000).toISOString().replace('.000Z', `${digits && `.${digits}`}Z`)
}

/** The duration that a text such as `1h30m` describes. Throws OperationError. */
export function parseDurationValue(text: string): Duration {
  if (!DURATION.test(text)) throw new OperationError('a duration looks like 30s or 1h30m')
  let ns = 0n
  for (const [, whole, fraction = '', unit = ''] of text.matchAll(/(\d+)(?:\.(\d+))?([^\d.]+)/g)) {
    ns += (BigInt(`${whole}${fraction.padEnd(9, '0')}`) * (UNIT_NS[unit] ?? 0n)) / NS_PER_SECOND
  }
  return durationValueOf(text.startsWith('-') ? -ns : ns)
}

const DURATION = /^-?(\d{1,12}(\.\d{1,9})?(ns|us|µs|ms|[smhd])){1,7}$/
const UNIT_NS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  ms: NS_PER_MS,
  s: NS_PER_SECOND,
  m: 60n * NS_PER_SECOND,
  h: 3600n * NS_PER_SECOND,
  d: 86_400n * NS_PER_SECOND,
}

/** Seconds with their fraction, if any: `5400s`, `0.25s`. */
export function formatDurationValue({ ns }: Duration): string {
  const size = ns < 0n ? -ns : ns
  const fraction = String(size % NS_PER_SECOND)
    .padStart(9, '0')
    .replace(/0+$/, '')
  return `${ns < 0n ? '-' : ''}${size / NS_PER_SECOND}${fraction && `.${fraction}`}s`
}

/** Rounds down, even if the dividend is negative. */
export function floorDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  return dividend % divisor < 0n ? quotient - 1n : quotient
}

/** What is wrong with a text that `parse` does not accept. */
export function parseProblem(parse: () => unknown): string | undefined {
  try {
    parse()
    return undefined
  } catch (error) {
    if (error instanceof OperationError) return error.message
    throw error
  }
}
