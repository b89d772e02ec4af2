import { Refusal } from '../api-error.ts'

/** The query of a target: each name with its values, decoded once. A malformed escape is a 400 (decision 2). */
export function parseQuery(target: string): ReadonlyMap<string, readonly string[]> {
  const start = target.indexOf('?')
  if (start < 0) return NOTHING
  const values = new Map<string, string[]>()
  for (const pair of target.slice(start + 1).split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals < 0 ? pair : pair.slice(0, equals))
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1))
    const earlier = values.get(name)
    if (earlier) earlier.push(value)
    else values.set(name, [value])
  }
  return values
}

const NOTHING: ReadonlyMap<string, readonly string[]> = new Map()

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    throw new Refusal('invalid-request', `the query has a malformed percent escape in ${JSON.stringify(text)}`)
  }
}
