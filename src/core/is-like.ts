/** Whether a name matches a pattern, in which `*` stands for any characters. */
export function isLike(name: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return name === pattern
  if (!name.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return name.length - last.length >= at && name.endsWith(last)
}
