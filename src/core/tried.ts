/** The result of some work; undefined if it throws. */
export function tried<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
