import type { Budget } from './budget.ts'
import { Duration, isList, isMap, kindOf, Timestamp, type Value } from './value.ts'

/** CEL's equality: deep, an integer equals a double of the same size, different kinds are never equal. */
export function isEqual(a: Value, b: Value, place: { start: number; end: number }, budget: Budget): boolean {
  budget.spend(1, place)
  if (typeof a === 'string' && typeof b === 'string') {
    if (a.length === b.length) budget.spend(a.length >> 3, place)
    return a === b
  }
  // Between bigint and number, the loose comparison is the exact one.
  if ((typeof a === 'bigint' || typeof a === 'number') && (typeof b === 'bigint' || typeof b === 'number')) {
    // biome-ignore lint/suspicious/noDoubleEquals: strict equality is never true between bigint and number
    return a == b
  }
  if (isList(a) && isList(b)) {
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index] ?? null, place, budget))
  }
  if (a instanceof Timestamp && b instanceof Timestamp) return a.ns === b.ns
  if (a instanceof Duration && b instanceof Duration) return a.ns === b.ns
  if (kindOf(a) !== kindOf(b) || !isMap(a) || !isMap(b)) return a === b
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key] ?? null, b[key] ?? null, place, budget))
}
