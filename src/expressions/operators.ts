import { byCodePoint } from './by-code-point.ts'
import { OperationError } from './failure.ts'
import { checkedInt64 } from './int64.ts'
import { durationValueOf, timestampAt } from './time.ts'
import type { Duration, Kind, Timestamp, Value } from './value.ts'

/** The effect of a binary operator on operands of two kinds; the checker reads `result`, the evaluator calls `run`. */
interface Overload {
  readonly result: Kind
  readonly run: (left: Value, right: Value) => Value
}

/** The overload of an operator for two kinds; undefined if there is none. `==`, `!=` and `in` are handled elsewhere. */
export function findOverload(operator: string, left: Kind, right: Kind): Overload | undefined {
  return OVERLOADS.get(`${left} ${operator} ${right}`)
}

/** The kinds that an operator can return when only one side is known, or neither. */
export function possibleResults(operator: string, left: Kind | 'dyn', right: Kind | 'dyn'): ReadonlySet<Kind> {
  const results = new Set<Kind>()
  for (const [signature, overload] of OVERLOADS) {
    const [leftKind, name, rightKind] = signature.split(' ')
    if (name !== operator) continue
    if ((left === 'dyn' || left === leftKind) && (right === 'dyn' || right === rightKind)) results.add(overload.result)
  }
  return results
}

/** An entry of the table; `L` and `R` are the in-memory types of the two kinds. */
function on<L extends Value, R extends Value>(
  signature: `${Kind} ${string} ${Kind}`,
  result: Kind,
  run: (left: L, right: R) => Value,
): readonly [string, Overload] {
  return [signature, { result, run: run as (left: Value, right: Value) => Value }]
}

/** The four ordering comparisons for two kinds. They compare keys that JavaScript can compare. */
function comparisons<T extends Value>(left: Kind, right: Kind, key: (value: T) => number | bigint | boolean) {
  return [
    on<T, T>(`${left} < ${right}`, 'bool', (a, b) => key(a) < key(b)),
    on<T, T>(`${left} <= ${right}`, 'bool', (a, b) => key(a) <= key(b)),
    on<T, T>(`${left} > ${right}`, 'bool', (a, b) => key(a) > key(b)),
    on<T, T>(`${left} >= ${right}`, 'bool', (a, b) => key(a) >= key(b)),
  ]
}

const asNumber = (value: bigint | number) => value

const OVERLOADS: ReadonlyMap<string, Overload> = new Map([
  on<bigint, bigint>('int + int', 'int', (a, b) => checkedInt64(a + b)),
  on<bigint, bigint>('int - int', 'int', (a, b) => checkedInt64(a - b)),
  on<bigint, bigint>('int * int', 'int', (a, b) => checkedInt64(a * b)),
  on<bigint, bigint>('int / int', 'int', (a, b) => checkedInt64(a / notZero(b))),
  on<bigint, bigint>('int % int', 'int', (a, b) => a % notZero(b)),
  on<number, number>('double + double', 'double', (a, b) => a + b),
  on<number, number>('double - double', 'double', (a, b) => a - b),
  on<number, number>('double * double', 'double', (a, b) => a * b),
  on<number, number>('double / double', 'double', (a, b) => a / b),
  on<string, string>('string + string', 'string', (a, b) => a + b),
  on<readonly Value[], readonly Value[]>('list + list', 'list', (a, b) => [...a, ...b]),
  on<Timestamp, Duration>('timestamp + duration', 'timestamp', (a, b) => timestampAt(a.ns + b.ns)),
  on<Duration, Timestamp>('duration + timestamp', 'timestamp', (a, b) => timestampAt(a.ns + b.ns)),
  on<Timestamp, Duration>('timestamp - duration', 'timestamp', (a, b) => timestampAt(a.ns - b.ns)),
  on<Timestamp, Timestamp>('timestamp - timestamp', 'duration', (a, b) => durationValueOf(a.ns - b.ns)),
  on<Duration, Duration>('duration + duration', 'duration', (a, b) => durationValueOf(a.ns + b.ns)),
  on<Duration, Duration>('duration - duration', 'duration', (a, b) => durationValueOf(a.ns - b.ns)),
  ...comparisons('int', 'int', asNumber),
  ...comparisons('int', 'double', asNumber),
  ...comparisons('double', 'int', asNumber),
  ...comparisons('double', 'double', asNumber),
  on<string, string>('string < string', 'bool', (a, b) => byCodePoint(a, b) < 0),
  on<string, string>('string <= string', 'bool', (a, b) => byCodePoint(a, b) <= 0),
  on<string, string>('string > string', 'bool', (a, b) => byCodePoint(a, b) > 0),
  on<string, string>('string >= string', 'bool', (a, b) => byCodePoint(a, b) >= 0),
  ...comparisons('bool', 'bool', (flag: boolean) => flag),
  ...comparisons('timestamp', 'timestamp', ({ ns }: Timestamp) => ns),
  ...comparisons('duration', 'duration', ({ ns }: Duration) => ns),
])

function notZero(divisor: bigint): bigint {
  if (divisor === 0n) throw new OperationError('division by zero')
  return divisor
}
