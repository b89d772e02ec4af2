import { OperationError } from './failure.ts'
import type { FunctionCall, FunctionDefinition } from './function-definition.ts'
import { checkedInt64, integerOf } from './int64.ts'
import { floorDivide, formatDurationValue, formatTimestamp, NS_PER_SECOND } from './time.ts'
import { Duration, isList, isMap, Timestamp, type Value } from './value.ts'

/** Conversions between kinds of values, and their size. */
export const conversionFunctions: readonly FunctionDefinition[] = [
  {
    name: 'size',
    parameters: [{ name: 'value', kinds: ['string', 'list', 'map'] }],
    returns: 'int',
    description: 'The number of characters in a text, items in a list, or fields in a map.',
    example: { expression: 'size([1, 2])', result: '2' },
    run: size,
  },
  {
    name: 'size',
    receiver: ['string', 'list', 'map'],
    parameters: [],
    returns: 'int',
    description: 'The number of characters in a text, items in a list, or fields in a map.',
    example: { expression: '"abc".size()', result: '3' },
    run: size,
  },
  {
    name: 'string',
    parameters: [{ name: 'value', kinds: ['string', 'int', 'double', 'bool', 'timestamp', 'duration'] }],
    returns: 'string',
    description: 'The value as text.',
    example: { expression: 'string(9001)', result: '"9001"' },
    run: ({ args: [value = null] }) => textOfValue(value) ?? '',
  },
  {
    name: 'int',
    parameters: [{ name: 'value', kinds: ['int', 'double', 'string', 'timestamp'] }],
    returns: 'int',
    description: 'The value as an integer; a fraction is cut off, a timestamp gives the seconds since 1970.',
    example: { expression: 'int("9001")', result: '9001' },
    run: ({ args: [value = null] }) => toInt(value),
  },
  {
    name: 'double',
    parameters: [{ name: 'value', kinds: ['int', 'double', 'string'] }],
    returns: 'double',
    description: 'The value as a number with a fraction.',
    example: { expression: 'double(3) / 2.0', result: '1.5' },
    run: ({ args: [value = null] }) => toDouble(value),
  },
  {
    name: 'bool',
    parameters: [{ name: 'value', kinds: ['bool', 'string'] }],
    returns: 'bool',
    description: 'The value as a boolean. The texts true, t and 1 are true; false, f and 0 are false.',
    example: { expression: 'bool("true")', result: 'true' },
    run: ({ args: [value = null] }) => toBool(value),
  },
]

function size(call: FunctionCall): bigint {
  const value = call.args[0] ?? null
  if (typeof value === 'string') {
    call.spendText(value.length)
    let characters = 0n
    for (const _ of value) characters++
    return characters
  }
  if (isList(value)) return BigInt(value.length)
  return isMap(value) ? BigInt(Object.keys(value).length) : 0n
}

function toInt(value: Value): bigint {
  if (typeof value === 'bigint') return value
  if (value instanceof Timestamp) return floorDivide(value.ns, NS_PER_SECOND)
  if (typeof value === 'number') return integerOf(Math.trunc(value))
  if (typeof value === 'string' && /^[+-]?\d{1,19}$/.test(value)) return checkedInt64(BigInt(value))
  throw new OperationError('the value is not an integer')
}

function toDouble(value: Value): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value)
  if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return Number(value)
  if (typeof value === 'string' && /^[+-]?\d{1,30}(\.\d{1,30})?([eE][+-]?\d{1,3})?$/.test(value)) return Number(value)
  throw new OperationError('the text is not a number')
}

function toBool(value: Value): boolean {
  if (value === true || TRUE_TEXTS.has(value)) return true
  if (value === false || FALSE_TEXTS.has(value)) return false
  throw new OperationError('the text is neither true nor false')
}

const TRUE_TEXTS: ReadonlySet<Value> = new Set(['true', 'True', 'TRUE', 't', '1'])
const FALSE_TEXTS: ReadonlySet<Value> = new Set(['false', 'False', 'FALSE', 'f', '0'])

/** A value as it is written inside a text; undefined for null, lists and maps, which cannot be written there. */
export function textOfValue(value: Value): string | undefined {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value)
    default:
      if (value instanceof Timestamp) return formatTimestamp(value)
      return value instanceof Duration ? formatDurationValue(value) : undefined
  }
}
