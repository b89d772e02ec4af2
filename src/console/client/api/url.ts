type Field = string | number | boolean | readonly string[] | undefined
export type Fields = Readonly<Record<string, Field>>

/** The names in braces of a path such as `/runs/{runId}`. */
export function pathFields(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

/** The URL of an operation: fields that the path names go into it, the others into the query. */
export function apiUrl(base: string, path: string, fields: Fields): string {
  const inPath = pathFields(path)
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(fields[name] ?? '')))
  const query = queryText(Object.fromEntries(Object.entries(fields).filter(([name]) => !inPath.includes(name))))
  return `${base}api/v1${filled}${query}`
}

/** `?a=1&b=2`, or nothing. Fields that are undefined or empty are left out; lists repeat their name. */
export function queryText(fields: Fields): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== '') query.append(name, String(one))
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}
