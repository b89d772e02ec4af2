/** What a number was to be expected to be. */
export interface Band {
  readonly low: number
  readonly median: number
  readonly high: number
}

const GOOD_RUNS = 14
const AT_LEAST = 7
/** Makes the median absolute deviation comparable to a standard deviation. */
const MAD_SCALE = 1.4826
const SIGMAS = 3
const SMALLEST_SHARE = 0.2

/**
 * The band around the median of the last 14 good values, oldest first: ± the larger of 3 × 1.4826 × MAD and 20 %. The
 * median and the MAD ignore a few bad nights. Undefined for fewer than seven values.
 */
export function expectedBand(good: readonly number[]): Band | undefined {
  const last = good.slice(-GOOD_RUNS)
  if (last.length < AT_LEAST) return undefined
  const median = medianOf(last)
  const mad = medianOf(last.map((value) => Math.abs(value - median)))
  const width = Math.max(SIGMAS * MAD_SCALE * mad, SMALLEST_SHARE * Math.abs(median))
  return { low: median - width, median, high: median + width }
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const [low = 0, high = low] = sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1)
  return (low + high) / 2
}
