import type { Json } from '../core/json.ts'
import type { Budget } from './budget.ts'
import { ExpressionFailure } from './failure.ts'
import { formatTimestamp } from './time.ts'
import { Duration, isList, Timestamp, type Value } from './value.ts'

/**
 * The result of an expression as JSON, timestamps as RFC 3339 text. A value that appears several times counts each
 * time, because it is also written each time. Throws ExpressionFailure.
 */
export function toJson(value: Value, place: { start: number; end: number }, budget: Budget): Json {
  budget.spend(1, place)
  switch (typeof value) {
    case 'string':
      budget.spendText(value.length, place)
      return value
    case 'number':
      if (Number.isFinite(value)) return value
      throw new ExpressionFailure('the number is infinite or not a number', place)
    case 'bigint':
    case 'boolean':
      return value
  }
  if (value === null) return null
  if (value instanceof Timestamp) return formatTimestamp(value)
  if (value instanceof Duration) throw new ExpressionFailure('a duration has no value outside of expressions', place)
  if (isList(value)) return value.map((item) => toJson(item, place, budget))
  const result: Record<string, Json> = {}
  for (const [key, field] of Object.entries(value)) {
    if (field !== undefined) result[key] = toJson(field, place, budget)
  }
  return result
}
