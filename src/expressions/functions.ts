import { dateFunctions } from './date-functions.ts'
import { OperationError } from './failure.ts'
import type { FunctionCall, FunctionDefinition, Parameter } from './function-definition.ts'
import { int64 } from './operators.ts'
import { textFunctions } from './text-functions.ts'
import { formatTimestamp, isList, isMap, type Value } from './value.ts'

const anything: Parameter = { name: 'value', kinds: ['dyn'] }
const onCollections = ['list', 'map'] as const
const variable: Parameter = { name: 'variable', kinds: ['dyn'] }
const condition: Parameter = { name: 'condition', kinds: ['bool'] }

/** The macros on collections: `variable` stands for each item (for a map, each key) in turn. */
const macros: readonly FunctionDefinition[] = [
  {
    name: 'has',
    parameters: [{ name: 'field', kinds: ['dyn'] }],
    returns: 'bool',
    description: 'Whether a field is there. Also false when something on the way to it is not there.',
    example: { expression: 'has(last.outputs)', result: 'false on the first run' },
  },
  {
    name: 'default',
    parameters: [anything, { name: 'fallback', kinds: ['dyn'] }],
    returns: 'dyn',
    description: 'The value, or the fallback where the value is not there or is null.',
    example: { expression: 'default(last.outputs.matchCount, 0)', result: '0 on the first run' },
  },
  {
    name: 'all',
    receiver: onCollections,
    parameters: [variable, condition],
    returns: 'bool',
    description: 'Whether the condition holds for every item.',
    example: { expression: '[1, 2].all(n, n > 0)', result: 'true' },
  },
  {
    name: 'exists',
    receiver: onCollections,
    parameters: [variable, condition],
    returns: 'bool',
    description: 'Whether the condition holds for at least one item.',
    example: { expression: '[1, 2].exists(n, n > 1)', result: 'true' },
  },
  {
    name: 'exists_one',
    receiver: onCollections,
    parameters: [variable, condition],
    returns: 'bool',
    description: 'Whether the condition holds for exactly one item.',
    example: { expression: '[1, 2].exists_one(n, n > 1)', result: 'true' },
  },
  {
    name: 'filter',
    receiver: onCollections,
    parameters: [variable, condition],
    returns: 'list',
    description: 'The items for which the condition holds.',
    example: { expression: '[1, 2, 3].filter(n, n > 1)', result: '[2, 3]' },
  },
  {
    name: 'map',
    receiver: onCollections,
    parameters: [variable, { name: 'result', kinds: ['dyn'] }],
    returns: 'list',
    description: 'What the expression gives for every item.',
    example: { expression: '[1, 2].map(n, n * 10)', result: '[10, 20]' },
  },
]

const conversions: readonly FunctionDefinition[] = [
  {
    name: 'size',
    parameters: [{ name: 'value', kinds: ['string', 'list', 'map'] }],
    returns: 'int',
    description: 'How many characters a text, items a list or fields a map has.',
    example: { expression: 'size([1, 2])', result: '2' },
    run: size,
  },
  {
    name: 'size',
    receiver: ['string', 'list', 'map'],
    parameters: [],
    returns: 'int',
    description: 'How many characters a text, items a list or fields a map has.',
    example: { expression: '"abc".size()', result: '3' },
    run: size,
  },
  {
    name: 'string',
    parameters: [{ name: 'value', kinds: ['string', 'int', 'double', 'bool', 'timestamp'] }],
    returns: 'string',
    description: 'The value as text.',
    example: { expression: 'string(9001)', result: '"9001"' },
    run: ({ args: [value = null] }) => textOf(value) ?? '',
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
    description: 'The value as a boolean: of text, true and false are understood.',
    example: { expression: 'bool("true")', result: 'true' },
    run: ({ args: [value = null] }) => toBool(value),
  },
]

const statusFunctions: readonly FunctionDefinition[] = [
  {
    name: 'success',
    parameters: [],
    returns: 'bool',
    description: 'Whether no step of the run has failed so far.',
    example: { expression: 'success()', result: 'true' },
    run: ({ failed }) => !failed,
  },
  {
    name: 'failure',
    parameters: [],
    returns: 'bool',
    description: 'Whether a step of the run has failed so far.',
    example: { expression: 'failure()', result: 'false' },
    run: ({ failed }) => failed,
  },
]

/** Every function and method of the language. */
export const functions: readonly FunctionDefinition[] = [
  ...macros,
  ...conversions,
  ...textFunctions,
  ...dateFunctions,
  ...statusFunctions,
]

/** The function or method with a name. */
export function findFunction(name: string, options: { method: boolean }): FunctionDefinition | undefined {
  return (options.method ? METHODS : PLAIN).get(name)
}

const METHODS = new Map(functions.filter(({ receiver }) => receiver).map((method) => [method.name, method]))
const PLAIN = new Map(functions.filter(({ receiver }) => !receiver).map((plain) => [plain.name, plain]))

/** The text form of a value inside a text; undefined for lists, maps and durations, which have none. */
export function textOf(value: Value): string | undefined {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value)
    default:
      return value instanceof Date ? formatTimestamp(value) : undefined
  }
}

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
  if (value instanceof Date) return BigInt(Math.floor(value.getTime() / 1000))
  if (typeof value === 'number' && Number.isFinite(value)) return int64(BigInt(Math.trunc(value)))
  if (typeof value === 'string' && /^[+-]?\d{1,19}$/.test(value)) return int64(BigInt(value))
  throw new OperationError('the value is not an integer')
}

function toDouble(value: Value): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value)
  if (typeof value === 'string' && /^[+-]?\d{1,30}(\.\d{1,30})?([eE][+-]?\d{1,3})?$/.test(value)) return Number(value)
  throw new OperationError('the text is not a number')
}

function toBool(value: Value): boolean {
  if (value === true || value === 'true') return true
  if (value === false || value === 'false') return false
  throw new OperationError('the text is neither true nor false')
}
