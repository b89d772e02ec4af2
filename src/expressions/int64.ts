import { OperationError } from './failure.ts'

/** CEL's integers have 64 bits; an overflow is an error, not a wrong number. */
export function checkedInt64(value: bigint): bigint {
  if (value > MAX_INT || value < MIN_INT) throw new OperationError(OVERFLOW)
  return value
}

/**
 * The integer that a double without a fraction stands for. As in CEL, the ends of the range are errors, because a
 * double cannot tell 2^63 - 1 from 2^63.
 */
export function integerOf(whole: number): bigint {
  if (Math.abs(whole) < 2 ** 63) return BigInt(whole)
  throw new OperationError(OVERFLOW)
}

export const MAX_INT = 9_223_372_036_854_775_807n
const MIN_INT = -9_223_372_036_854_775_808n
const OVERFLOW = 'the integer does not fit in 64 bits'
