/** A field as a service shows it; "", null and absent all count as not shown (decision 138). */
export function shown<T>(value: T): Exclude<T, null | ''> | undefined {
  return value === null || value === '' ? undefined : (value as Exclude<T, null | ''> | undefined)
}
