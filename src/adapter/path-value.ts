/** Whether a value can be part of a path. An empty value or dots would address a different resource. */
export function isPathValue(value: string): boolean {
  return value !== '' && value !== '.' && value !== '..' && value.isWellFormed()
}
