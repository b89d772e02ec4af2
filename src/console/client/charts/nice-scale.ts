/** An axis of numbers: from where to where, and where its marks are. */
export interface NiceScale {
  readonly low: number
  readonly high: number
  readonly ticks: readonly number[]
}

/** An axis that holds all values, has round marks, and begins at 0 unless that would hide the differences. */
export function niceScale(values: readonly number[], marks = 4): NiceScale {
  const highest = Math.max(0, ...values)
  const lowest = Math.min(...values, highest)
  const base = lowest > highest * 0.7 && lowest < highest ? lowest - (highest - lowest) * 0.5 : Math.min(0, lowest)
  const step = roundStep((highest - base || marks) / marks)
  const low = Math.floor(base / step) * step
  const high = Math.max(low + step, Math.ceil(highest / step) * step)
  const count = Math.round((high - low) / step)
  return { low, high, ticks: Array.from({ length: count + 1 }, (_, index) => low + index * step) }
}

/** The next of 1, 2 or 5 times a power of ten. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step))
  const factor = [1, 2, 5, 10].find((one) => one * power >= step * 0.999) ?? 10
  return factor * power
}
