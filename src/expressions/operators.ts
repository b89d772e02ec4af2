import { OperationError } from './failure.ts'
import type { Kind } from './types.ts'
import { Duration, isList, type Value } from './value.ts'

/** What a binary operator does with operands of two kinds; the checker reads `result`, the evaluator calls `run`. */
interface Overload {
  readonly result: Kind
  readonly run: (left: Value, right: Value) => Value
}

/** The meaning of an operator for two kinds; undefined where there is none. `==`, `!=` and `in` are not in here. */
export function findOverload(operator: string, left: Kind, right: Kind): Overload | undefined {
  return OVERLOADS.get(`${left} ${operator} ${right}`)
}

/** The kinds that an operator gives when only one side is known, or none. */
export function possibleResults(operator: string, left: Kind | 'dyn', right: Kind | 'dyn'): ReadonlySet<Kind> {
  const results = new Set<Kind>()
  for (const [signature, overload] of OVERLOADS) {
    const [leftKind, name, rightKind] = signature.split(' ')
    if (name !== operator) continue
    if ((left === 'dyn' || left === leftKind) && (right === 'dyn' || right === rightKind)) results.add(overload.result)
  }
  return results
}

/** CEL's integers have 64 bits, and leaving them is an error rather than a wrong number. */
export function int64(value: bigint): bigint {
  if (value > MAX_INT || value < MIN_INT) throw new OperationError('the integer does not fit 64 bits')
  return value
}

export const MAX_INT = 9_223_372_036_854_775_807n
const MIN_INT = -9_223_372_036_854_775_808n

const OVERLOADS = new Map<string, Overload>()

/** Declares an overload; the guards make a wrong kind a bug that shows at once instead of a wrong result. */
function overload<L extends Value, R extends Value>(
  signature: `${Kind} ${string} ${Kind}`,
  result: Kind,
  run: (left: L, right: R) => Value,
): void {
  OVERLOADS.set(signature, { result, run: run as (left: Value, right: Value) => Value })
}

overload<bigint, bigint>('int + int', 'int', (a, b) => int64(a + b))
overload<bigint, bigint>('int - int', 'int', (a, b) => int64(a - b))
overload<bigint, bigint>('int * int', 'int', (a, b) => int64(a * b))
overload<bigint, bigint>('int / int', 'int', (a, b) => int64(a / notZero(b)))
overload<bigint, bigint>('int % int', 'int', (a, b) => a % notZero(b))
overload<number, number>('double + double', 'double', (a, b) => a + b)
overload<number, number>('double - double', 'double', (a, b) => a - b)
overload<number, number>('double * double', 'double', (a, b) => a * b)
overload<number, number>('double / double', 'double', (a, b) => a / b)
overload<string, string>('string + string', 'string', (a, b) => a + b)
overload('list + list', 'list', (a, b) => (isList(a) && isList(b) ? [...a, ...b] : []))
overload<Date, Duration>('timestamp + duration', 'timestamp', (a, b) => timestamp(a.getTime() + b.ms))
overload<Duration, Date>('duration + timestamp', 'timestamp', (a, b) => timestamp(a.ms + b.getTime()))
overload<Date, Duration>('timestamp - duration', 'timestamp', (a, b) => timestamp(a.getTime() - b.ms))
overload<Date, Date>('timestamp - timestamp', 'duration', (a, b) => new Duration(a.getTime() - b.getTime()))
overload<Duration, Duration>('duration + duration', 'duration', (a, b) => new Duration(a.ms + b.ms))
overload<Duration, Duration>('duration - duration', 'duration', (a, b) => new Duration(a.ms - b.ms))

for (const [left, right] of [
  ['int', 'int'],
  ['double', 'double'],
  ['int', 'double'],
  ['double', 'int'],
  ['string', 'string'],
  ['bool', 'bool'],
] as const) {
  overload<string, string>(`${left} < ${right}`, 'bool', (a, b) => a < b)
  overload<string, string>(`${left} <= ${right}`, 'bool', (a, b) => a <= b)
  overload<string, string>(`${left} > ${right}`, 'bool', (a, b) => a > b)
  overload<string, string>(`${left} >= ${right}`, 'bool', (a, b) => a >= b)
}
for (const kind of ['timestamp', 'duration'] as const) {
  const ms = (value: Value) => (value instanceof Date ? value.getTime() : value instanceof Duration ? value.ms : 0)
  overload(`${kind} < ${kind}`, 'bool', (a, b) => ms(a) < ms(b))
  overload(`${kind} <= ${kind}`, 'bool', (a, b) => ms(a) <= ms(b))
  overload(`${kind} > ${kind}`, 'bool', (a, b) => ms(a) > ms(b))
  overload(`${kind} >= ${kind}`, 'bool', (a, b) => ms(a) >= ms(b))
}

function notZero(divisor: bigint): bigint {
  if (divisor === 0n) throw new OperationError('division by zero')
  return divisor
}

function timestamp(ms: number): Date {
  const date = new Date(ms)
  if (Number.isNaN(date.getTime())) throw new OperationError('the timestamp is out of range')
  return date
}
