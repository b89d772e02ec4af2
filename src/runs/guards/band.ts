import type { Band, Breach, LearnedBand } from '../../core/guard.ts'

/** How many standard deviations each end of the band is from the median. The two shares below limit that distance. */
const DEVIATIONS = 3
/** The factor that turns the median absolute deviation of normally distributed values into their standard deviation. */
const TO_DEVIATION = 1.4826
/**
 * The band reaches at least 20 % of the median to each side, because healthy nights would fall outside a narrower one.
 * A guard's band reaches at most 25 %, because a wider one lets a loss of 30 % pass. docs/guards.md has the figures.
 */
export const LEAST_SHARE = 0.2
const MOST_SHARE = 0.25

/** The band of the values of good runs, at most `mostShare` of the median to each side; undefined if there are none. */
export function bandOf(values: readonly number[], mostShare = MOST_SHARE): Band | undefined {
  if (values.length === 0) return undefined
  const median = medianOf(values)
  const spread = DEVIATIONS * TO_DEVIATION * medianOf(values.map((value) => Math.abs(value - median)))
  const size = Math.abs(median)
  // If the median is 0, any share of it is 0, and the band would have no width.
  const reach = size === 0 ? spread : Math.min(Math.max(spread, LEAST_SHARE * size), mostShare * size)
  return { low: median - reach, median, high: median + reach }
}

/** The limits that apply to a value now. */
export interface Limits {
  readonly min?: number
  readonly max?: number
  readonly learned?: Pick<LearnedBand, 'band' | 'approved'>
}

/** The limit that a value exceeds; undefined if the value is good. A value near one that a person approved is good. */
export function breachOf(value: number, { min, max, learned = {} }: Limits): Breach | undefined {
  if (min !== undefined && value < min) return { limit: 'min', at: min }
  if (max !== undefined && value > max) return { limit: 'max', at: max }
  const { band, approved = [] } = learned
  if (!band || isInside(value, band)) return undefined
  return approved.some((one) => isNear(value, one)) ? undefined : { limit: 'band', ...band }
}

function isInside(value: number, { low, high }: Band): boolean {
  return value >= low && value <= high
}

function isNear(value: number, approved: number): boolean {
  return Math.abs(value - approved) <= LEAST_SHARE * Math.abs(approved)
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}
