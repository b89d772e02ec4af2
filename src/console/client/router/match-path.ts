/** The named parts of a path; undefined if the path does not match a pattern such as `/runs/:id`. */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const wanted = pattern.split('/')
  const given = path.replace(/(?<=.)\/$/, '').split('/')
  if (wanted.length !== given.length) return undefined
  const parts: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? ''
    if (part.startsWith(':')) parts[part.slice(1)] = decode(value)
    else if (part !== value) return undefined
  }
  return parts
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
