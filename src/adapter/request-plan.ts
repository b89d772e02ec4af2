import { type Operation, VENDOR_MEDIA_TYPE } from '../contract/operation.ts'
import { type OperationId, operationOf } from '../contract/operations.ts'
import { toWire } from '../contract/wire.ts'
import { isJsonObject, type Json, type JsonObject, stringifyJson } from '../core/json.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import { fieldPlace, pathWriter } from '../http/operation.ts'
import { responseDecoder } from './response-decoder.ts'

/** Everything about an operation that is the same for all calls, computed once for each client. */
export interface RequestPlan {
  readonly id: OperationId
  readonly operation: Operation
  /**
   * Request headers without the token. For an upload, the content type is added later with its boundary (decisions 3,
   * 4, 7, 8).
   */
  readonly headers: readonly string[]
  /** The input fields that are part of the path. */
  readonly pathFields: readonly string[]
  /** The path with its values, percent-encoded (decision 2). */
  path(input: JsonObject): string
  /** The query with its question mark, or an empty string. */
  query(input: JsonObject): string
  /** The JSON text of the body; undefined if there is none (decisions 7, 55). */
  body(input: JsonObject): string | undefined
  /** Parses the body of a successful answer. */
  readonly decode: ReturnType<typeof responseDecoder>
  /** Finds values in an answer that the contract does not list; undefined if the contract lists no values. */
  readonly findUnknown: FindUnknown | undefined
}

/**
 * Makes the plan of an operation. `path` replaces the path of the contract if a service has a different one (decision
 * 115).
 */
export function planOf(id: OperationId, path?: string): RequestPlan {
  const operation = path === undefined ? operationOf(id) : { ...operationOf(id), path }
  const fields = Object.keys(operation.input.properties)
  const inQuery = fields.filter((name) => fieldPlace(operation, name) === 'query')
  const inBody = fields.filter((name) => fieldPlace(operation, name) === 'body')
  return {
    id,
    operation,
    headers: [
      'accept',
      operation.accept === 'vendor' ? VENDOR_MEDIA_TYPE : '*/*',
      // Set explicitly, because a request without this header accepts any encoding (RFC 9110; decision 142).
      'accept-encoding',
      'identity',
      'user-agent',
      'audience-pipelines',
      // A cached answer may be older than the last write (decision 152).
      ...(operation.method === 'GET' ? ['cache-control', 'no-cache'] : []),
    ],
    pathFields: fields.filter((name) => fieldPlace(operation, name) === 'path'),
    path: pathWriter(operation.path),
    query: (input) => (inQuery.length === 0 ? '' : queryOf(inQuery, input)),
    body: (input) => (inBody.length === 0 ? undefined : bodyOf(operation, inBody, input)),
    decode: responseDecoder(operation),
    findUnknown: operation.output ? unknownValueFinder(operation.output) : undefined,
  }
}

function queryOf(names: readonly string[], input: JsonObject): string {
  let query = ''
  for (const name of names) {
    const value = input[name]
    // A query flag is sent as true or left out (decision 84). Null means that the parameter is absent (decision 15).
    if (value === undefined || value === null || value === false) continue
    query += `${query === '' ? '?' : '&'}${name}=${encodeURIComponent(String(value))}`
  }
  return query
}

function bodyOf(operation: Operation, names: readonly string[], input: JsonObject): string | undefined {
  const body: Record<string, Json> = {}
  for (const name of names) {
    const schema = operation.input.properties[name]
    // A default that the contract does not state is always sent, so that the service's own default does not matter
    // (decision 58).
    const value = input[name] ?? (input[name] === null ? null : (schema?.default as Json | undefined))
    if (value !== undefined) body[name] = schema ? toWire(schema, value) : value
  }
  return Object.keys(body).length === 0 ? undefined : stringifyJson(body)
}

type FindUnknown = (value: Json | undefined, found: (field: string, value: string) => void) => void

/**
 * Makes a function that finds values in an answer that the contract does not list for their field. These values are
 * accepted (decisions 12, 25, 125). Returns undefined for a schema that lists no values.
 */
function unknownValueFinder(schema: JsonSchema, field = 'value'): FindUnknown | undefined {
  if (schema.type === 'string' && Array.isArray(schema.examples))
    return inList(new Set<unknown>(schema.examples), field)
  if (schema.items) return inItems(unknownValueFinder(schema.items, field))
  const members: [name: string, find: FindUnknown][] = []
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const find = unknownValueFinder(property, name)
    if (find) members.push([name, find])
  }
  return members.length === 0 ? undefined : inMembers(members)
}

function inList(known: ReadonlySet<unknown>, field: string): FindUnknown {
  return (value, found) => {
    if (typeof value === 'string' && !known.has(value)) found(field, value)
  }
}

function inItems(find: FindUnknown | undefined): FindUnknown | undefined {
  if (!find) return undefined
  return (value, found) => {
    if (Array.isArray(value)) for (const item of value) find(item, found)
  }
}

function inMembers(members: readonly (readonly [name: string, find: FindUnknown])[]): FindUnknown {
  return (value, found) => {
    if (!isJsonObject(value)) return
    for (const [name, find] of members) find(value[name], found)
  }
}
