import { OperationError } from './failure.ts'
import { type FunctionCall, type FunctionDefinition, textAt } from './function-definition.ts'
import { NS_PER_MS, NS_PER_SECOND } from './time.ts'
import { localDate, ZONE_UNITS, zoneProblem } from './time-zone.ts'
import { Duration, Timestamp } from './value.ts'

interface TimePart {
  readonly name: string
  readonly what: string
  readonly note?: string
  /** The result for the example, 2026-01-31 at 22:30. */
  readonly result: string
  /** `local`: a Date whose UTC parts are the local parts of the time in the zone. */
  readonly read: (local: Date) => number
  /** Present if durations have the method, too. */
  readonly ofDuration?: (ns: bigint) => bigint
}

const PARTS: readonly TimePart[] = [
  { name: 'getFullYear', what: 'The year', result: '2026', read: (local) => local.getUTCFullYear() },
  {
    name: 'getMonth',
    what: 'The month',
    note: 'As in CEL, January is 0.',
    result: '0',
    read: (local) => local.getUTCMonth(),
  },
  {
    name: 'getDate',
    what: 'The day of the month',
    note: 'The first is 1.',
    result: '31',
    read: (local) => local.getUTCDate(),
  },
  {
    name: 'getDayOfMonth',
    what: 'The day of the month',
    note: 'As in CEL, the first is 0; getDate() begins at 1.',
    result: '30',
    read: (local) => local.getUTCDate() - 1,
  },
  {
    name: 'getDayOfWeek',
    what: 'The day of the week',
    note: 'Sunday is 0.',
    result: '6',
    read: (local) => local.getUTCDay(),
  },
  { name: 'getDayOfYear', what: 'The day of the year', note: 'January 1 is 0.', result: '30', read: dayOfYear },
  {
    name: 'getHours',
    what: 'The hour',
    note: 'For a duration, all of its hours.',
    result: '22',
    read: (local) => local.getUTCHours(),
    ofDuration: (ns) => ns / (3600n * NS_PER_SECOND),
  },
  {
    name: 'getMinutes',
    what: 'The minute',
    note: 'For a duration, all of its minutes.',
    result: '30',
    read: (local) => local.getUTCMinutes(),
    ofDuration: (ns) => ns / (60n * NS_PER_SECOND),
  },
  {
    name: 'getSeconds',
    what: 'The second',
    note: 'For a duration, all of its seconds.',
    result: '0',
    read: (local) => local.getUTCSeconds(),
    ofDuration: (ns) => ns / NS_PER_SECOND,
  },
  {
    name: 'getMilliseconds',
    what: 'The millisecond',
    note: 'For a duration, the milliseconds of its last second.',
    result: '0',
    read: (local) => local.getUTCMilliseconds(),
    ofDuration: (ns) => (ns / NS_PER_MS) % 1000n,
  },
]

/** CEL's methods for the parts of a timestamp, as a clock in a zone shows them. */
export const timePartFunctions: readonly FunctionDefinition[] = PARTS.map(
  ({ name, what, note, result, read, ofDuration }) => ({
    name,
    receiver: ofDuration ? ['timestamp', 'duration'] : ['timestamp'],
    parameters: [{ name: 'zone', kinds: ['string'], optional: true, check: zoneProblem }],
    returns: 'int',
    infer: ([receiver, zone]) => (receiver?.type.kind === 'duration' && zone ? NO_ZONE : undefined),
    description: `${what} in a time zone, or at an offset such as +05:30 (UTC if none is given).${note ? ` ${note}` : ''}`,
    example: { expression: `timestamp("2026-01-31T17:00:00Z").${name}("+05:30")`, result },
    run: (call) => {
      const [value = null] = call.args
      if (value instanceof Timestamp) return BigInt(read(localTimeOf(call, value)))
      if (call.args.length > 1) throw new OperationError(NO_ZONE.problem)
      return value instanceof Duration && ofDuration ? ofDuration(value.ns) : 0n
    },
  }),
)

const NO_ZONE = { argument: 1, problem: 'a duration has no time zone' }

function localTimeOf(call: FunctionCall, timestamp: Timestamp): Date {
  const zone = call.args.length > 1 ? textAt(call, 1) : 'UTC'
  call.spend(zone === 'UTC' ? 1 : ZONE_UNITS)
  return localDate(timestamp, zone)
}

function dayOfYear(local: Date): number {
  // This avoids Date.UTC, which reads the years 0 to 99 as 1900 to 1999.
  const newYear = new Date(local)
  newYear.setUTCMonth(0, 1)
  return Math.floor((local.getTime() - newYear.setUTCHours(0, 0, 0, 0)) / 86_400_000)
}
