/** A value of an input or output in one line. Numbers are not formatted, because many of them are ids. */
export function valueText(value: unknown): string {
  if (value === undefined) return '–'
  if (typeof value === 'string') return value
  return JSON.stringify(value)
}
