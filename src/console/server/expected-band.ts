import type { Band } from '../../core/guard.ts'
import { bandOf } from '../../runs/guards/band.ts'

const GOOD_RUNS = 14
const AT_LEAST = 7

/**
 * The band of the last 14 good values, which are given oldest first; undefined if there are fewer than seven. It only
 * explains a chart, so unlike a guard's band it is as wide as the spread of the values.
 */
export function expectedBand(good: readonly number[]): Band | undefined {
  const last = good.slice(-GOOD_RUNS)
  return last.length < AT_LEAST ? undefined : bandOf(last, Number.POSITIVE_INFINITY)
}
