import { OperationError } from './failure.ts'
import type { FunctionCall, FunctionDefinition } from './function-definition.ts'
import { checkedInt64, integerOf } from './int64.ts'
import { describeType, type Type } from './types.ts'
import { isList, type Value } from './value.ts'

type Numeric = bigint | number

const list = { name: 'list', kinds: ['list'] } as const
const value = { name: 'value', kinds: ['int', 'double'] } as const

/** Functions on numbers and lists of numbers. A result that does not fit its kind is an error, as in arithmetic. */
export const numberFunctions: readonly FunctionDefinition[] = [
  {
    name: 'sum',
    parameters: [list],
    returns: ['int', 'double'],
    infer: ([numbers]) => typeOfItems('sum', numbers?.type),
    description: 'The sum of a list of integers or of a list of numbers; 0 if it is empty.',
    example: { expression: 'sum([3, 4, 5])', result: '12' },
    run: sum,
  },
  extreme('min', { which: 'smallest', result: '3', isBetter: (a, b) => a < b }),
  extreme('max', { which: 'largest', result: '5', isBetter: (a, b) => a > b }),
  {
    name: 'abs',
    parameters: [value],
    returns: ['int', 'double'],
    infer: ([number]) => number?.type,
    description: 'The number without its sign.',
    example: { expression: 'abs(3 - 5)', result: '2' },
    run: ({ args: [number] }) =>
      typeof number === 'bigint' ? checkedInt64(number < 0n ? -number : number) : Math.abs(Number(number)),
  },
  {
    name: 'round',
    parameters: [value],
    returns: 'int',
    description: 'The nearest integer; a half is rounded away from zero: 2.5 becomes 3, and -2.5 becomes -3.',
    example: { expression: 'round(2.5)', result: '3' },
    run: ({ args: [number] }) => (typeof number === 'bigint' ? number : integerOf(roundHalfAway(Number(number)))),
  },
]

/** A function that picks one number from a list; `result` is the result of its example. */
function extreme(
  name: string,
  { which, result, isBetter }: { which: string; result: string; isBetter: (a: Numeric, b: Numeric) => boolean },
): FunctionDefinition {
  const empty = { argument: 0, problem: `${name}() needs a list that is not empty` }
  return {
    name,
    parameters: [list],
    returns: ['int', 'double'],
    infer: ([numbers]) => (numbers?.items === 0 ? empty : typeOfItems(name, numbers?.type)),
    description: `The ${which} number of a list. An empty list is an error.`,
    example: { expression: `${name}([3, 4, 5])`, result },
    run(call) {
      const [first, ...rest] = numbersAt(call, name)
      if (first === undefined) throw new OperationError(empty.problem)
      return rest.reduce((best, number) => (isBetter(number, best) ? number : best), first)
    },
  }
}

function typeOfItems(name: string, type: Type | undefined): Type | { argument: number; problem: string } | undefined {
  if (type?.kind !== 'list') return undefined
  const { items } = type
  if (items.kind === 'int' || items.kind === 'double' || items.kind === 'dyn') return items
  return { argument: 0, problem: `${name}() takes a list of numbers, but this is ${describeType(type)}` }
}

/** The numbers of the list, charged to the budget. */
function numbersAt(call: FunctionCall, name: string): readonly Numeric[] {
  const given = call.args[0] ?? null
  const items: readonly Value[] = isList(given) ? given : []
  call.spend(items.length)
  return items.map((item) => {
    if (typeof item === 'bigint' || (typeof item === 'number' && !Number.isNaN(item))) return item
    throw new OperationError(`${name}() takes a list of numbers`)
  })
}

function sum(call: FunctionCall): Value {
  const numbers = numbersAt(call, 'sum')
  const integers = numbers.filter((number) => typeof number === 'bigint')
  if (integers.length === numbers.length) return checkedInt64(integers.reduce((total, number) => total + number, 0n))
  if (integers.length > 0) {
    throw new OperationError('sum() does not mix integers and numbers; convert them: list.map(n, double(n))')
  }
  const total = numbers.reduce((sofar: number, number) => sofar + Number(number), 0)
  if (!Number.isFinite(total)) throw new OperationError('the sum is too large for a number')
  return total
}

function roundHalfAway(number: number): number {
  const size = Math.abs(number)
  const whole = Math.trunc(size)
  return Math.sign(number) * (size - whole >= 0.5 ? whole + 1 : whole)
}
