export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** The smallest value such that at least the fraction `part` of all values does not exceed it. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN
}

/** The smallest and the largest value, as `1.20–1.45`. */
export function spread(values: readonly number[]): string {
  return `${Math.min(...values).toFixed(2)}–${Math.max(...values).toFixed(2)}`
}
