import { OperationError } from './failure.ts'
import { type FunctionCall, type FunctionDefinition, textAt } from './function-definition.ts'
import { NS_PER_MS, NS_PER_SECOND } from './time.ts'
import { localTime, ZONE_UNITS, zoneProblem } from './time-zone.ts'
import { Duration, Timestamp, type Value } from './value.ts'

const DAY_MS = 86_400_000
const zone = { name: 'zone', kinds: ['string'], optional: true, check: zoneProblem } as const

/** CEL's parts of a timestamp, as a clock in a zone shows them. */
export const timePartFunctions: readonly FunctionDefinition[] = [
  partOf('getFullYear', 'The year', '2026', (local) => local.getUTCFullYear()),
  partOf('getMonth', 'The month; as in CEL, January is 0', '0', (local) => local.getUTCMonth()),
  partOf('getDate', 'The day of the month, from 1', '31', (local) => local.getUTCDate()),
  partOf('getDayOfMonth', 'The day of the month; as in CEL, from 0', '30', (local) => local.getUTCDate() - 1),
  partOf('getDayOfWeek', 'The day of the week; Sunday is 0', '6', (local) => local.getUTCDay()),
  partOf('getDayOfYear', 'The day of the year, from 0', '30', (local) => dayOfYear(local)),
  partOf('getHours', 'The hour', '22', (local) => local.getUTCHours(), 3_600n * NS_PER_SECOND),
  partOf('getMinutes', 'The minute', '30', (local) => local.getUTCMinutes(), 60n * NS_PER_SECOND),
  partOf('getSeconds', 'The second', '0', (local) => local.getUTCSeconds(), NS_PER_SECOND),
  partOf('getMilliseconds', 'The thousandths of the second', '0', (local) => local.getUTCMilliseconds(), NS_PER_MS),
]

/** `unitNs`: the method also counts the units of a duration. */
function partOf(
  name: string,
  what: string,
  result: string,
  part: (local: Date) => number,
  unitNs?: bigint,
): FunctionDefinition {
  const ofDuration = unitNs === undefined ? '' : durationText(name)
  return {
    name,
    receiver: unitNs === undefined ? ['timestamp'] : ['timestamp', 'duration'],
    parameters: [zone],
    returns: 'int',
    infer: ([receiver, given]) => (receiver?.type.kind === 'duration' && given ? NO_ZONE : undefined),
    description: `${what}, in a time zone or at an offset such as +05:30 (UTC where none is given).${ofDuration}`,
    example: { expression: `timestamp("2026-01-31T17:00:00Z").${name}("+05:30")`, result },
    run: (call) => {
      const [value = null] = call.args
      if (value instanceof Timestamp) return BigInt(part(localTimeOf(call, value)))
      return unitNs === undefined ? 0n : countUnits(call, value, unitNs)
    },
  }
}

function durationText(name: string): string {
  if (name === 'getMilliseconds') return ' Of a duration, the thousandths of its last second.'
  return ` Of a duration, all of its ${name.slice(3).toLowerCase()}.`
}

const NO_ZONE = { argument: 1, problem: 'a duration has no time zone' }

function localTimeOf(call: FunctionCall, timestamp: Timestamp): Date {
  const given = call.args.length > 1 ? textAt(call, 1) : 'UTC'
  call.spend(given === 'UTC' ? 1 : ZONE_UNITS)
  return localTime(timestamp, given)
}

function countUnits(call: FunctionCall, value: Value, unitNs: bigint): bigint {
  if (call.args.length > 1) throw new OperationError(NO_ZONE.problem)
  const ns = value instanceof Duration ? value.ns : 0n
  return unitNs === NS_PER_MS ? (ns / unitNs) % 1000n : ns / unitNs
}

function dayOfYear(local: Date): number {
  // Not Date.UTC: it takes the years 0 to 99 for 1900 to 1999.
  const newYear = new Date(local)
  newYear.setUTCMonth(0, 1)
  return Math.floor((local.getTime() - newYear.setUTCHours(0, 0, 0, 0)) / DAY_MS)
}
