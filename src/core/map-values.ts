/** The same keys, each with its changed value. */
export function mapValues<T, R>(values: Readonly<Record<string, T>>, change: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]))
}
