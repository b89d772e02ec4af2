type Field = string | number | boolean | readonly string[] | undefined
export type Fields = Readonly<Record<string, Field>>

/** The names in braces of a path such as `/runs/{runId}`. */
export function pathFields(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

/**
 * The URL of an operation. Fields that the path names become part of the path. All other fields become part of the
 * query.
 */
export function apiUrl(base: string, path: string, fields: Fields): string {
  const inPath = pathFields(path)
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(fields[name] ?? '')))
  const query = queryText(Object.fromEntries(Object.entries(fields).filter(([name]) => !inPath.includes(name))))
  return `${base}api/v1${filled}${query}`
}

/**
 * Makes a query such as `?a=1&b=2`, or an empty string. Leaves out fields that are undefined or empty. A list repeats
 * its name.
 */
export function queryText(fields: Fields): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== '') query.append(name, String(one))
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}
