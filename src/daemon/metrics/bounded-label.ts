/**
 * A label with at most `most` values, and `other` for all further ones. Each value adds a line to each scrape for as
 * long as the process lives.
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
