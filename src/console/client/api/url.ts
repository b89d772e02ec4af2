import { API_PATH } from '../../../generated/api-paths.ts'
import { fieldsAt, pathWriter } from '../../../http/operation.ts'

type Field = string | number | boolean | readonly string[] | undefined
export type UrlFields = Readonly<Record<string, Field>>

/** The URL of a path of the API. Fields that the path does not name become the query. */
export function apiUrl(base: string, path: string, fields: UrlFields): string {
  const query = Object.fromEntries(fieldsAt({ method: 'GET', path }, 'query', fields))
  return `${base}${API_PATH}${pathWriter(path)(fields)}${queryText(query)}`
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
