import { API_PATH } from '../../../generated/api-paths.ts'

type Field = string | number | boolean | readonly string[] | undefined
export type UrlFields = Readonly<Record<string, Field>>

/** Fills in the fields that a path such as `/runs/{runId}` names. Returns the other fields, too. */
export function fillPath<Value>(path: string, fields: Readonly<Record<string, Value>>) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(fields[name] ?? '')))
  const others = Object.fromEntries(Object.entries(fields).filter(([name]) => !path.includes(`{${name}}`)))
  return { filled, others }
}

/** The URL of a path of the API. Fields that the path does not name become the query. */
export function apiUrl(base: string, path: string, fields: UrlFields): string {
  const { filled, others } = fillPath(path, fields)
  return `${base}${API_PATH}${filled}${queryText(others)}`
}

/** A query such as `?a=1`, or ''. Leaves out fields that are undefined or empty. A list repeats its name. */
export function queryText(fields: UrlFields): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== '') query.append(name, String(one))
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}
