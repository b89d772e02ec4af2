/**
 * A label that takes so many values at the most, and `other` from then on: every value is a line of each scrape for as long as
 * the process lives.
 */
export function boundedLabel(most: number): (value: string) => string {
  const known = new Set<string>()
  return (value) => {
    if (known.has(value)) return value
    if (known.size >= most) return 'other'
    known.add(value)
    return value
  }
}
