import type { JsonSchema, ObjectSchema } from '../core/json-schema.ts'
import { tried } from '../core/tried.ts'

/** One operation of an HTTP API, as data. Routes, checks of requests, types and OpenAPI are derived from it. */
export interface HttpOperation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** The path relative to the address of the API, with `{name}` for the input fields in it. */
  readonly path: string
  /** One line, imperative, for help, hover texts and reference pages. */
  readonly summary: string
  readonly description?: string
  /** All parameters in one flat object, whichever part of the request carries them (see `fieldPlace`). */
  readonly input: ObjectSchema
  /** Rules between fields: each is a JSON Schema whose `description` is the error text. */
  readonly rules?: readonly JsonSchema[]
  /** Set if the body is a file: the field that stands for its multipart part, or true for the file itself. */
  readonly upload?: string | true
  /** The body of the response; null if it has none, or if it is not JSON. */
  readonly output: ObjectSchema | null
}

/** The properties of an operation that decide which part of a request carries a field. */
type Route = Pick<HttpOperation, 'method' | 'path' | 'upload'>

/** The part of a request that carries an input field. */
export type FieldPlace = 'path' | 'query' | 'body' | 'part'

/** The part of a request that carries a field. The other fields of an upload are in the query (decision 105). */
export function fieldPlace({ method, path, upload }: Route, name: string): FieldPlace {
  if (path.includes(`{${name}}`)) return 'path'
  if (upload === name) return 'part'
  return method === 'GET' || method === 'DELETE' || upload !== undefined ? 'query' : 'body'
}

/** The fields of an input that one part of a request carries. Absent fields are left out. */
export function fieldsAt<Value>(
  operation: Route,
  place: FieldPlace,
  input: Readonly<Record<string, Value>>,
): [name: string, value: Value][] {
  return Object.entries(input).filter(([name, value]) => value !== undefined && fieldPlace(operation, name) === place)
}

/** Writes a path with its values, percent-encoded (decision 2). A name without a value stays as `{name}`. */
export function pathWriter(template: string): (input: Readonly<Record<string, unknown>>) => string {
  // Split at the braces: literals at even positions, names at odd ones.
  const parts = template.split(/[{}]/)
  if (parts.length === 1) return () => template
  return (input) => parts.map((part, index) => (index % 2 === 0 ? part : pathValue(part, input[part]))).join('')
}

function pathValue(name: string, value: unknown): string {
  return value === undefined ? `{${name}}` : encodeURIComponent(`${value}`)
}

/** The values in a path, decoded; undefined if it does not fit the template, or cannot be decoded. */
export function readPath(template: string, path: string): Readonly<Record<string, string>> | undefined {
  const wanted = template.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return undefined
  const values: Record<string, string> = {}
  for (const [index, segment] of wanted.entries()) {
    const text = given[index] ?? ''
    if (segment.startsWith('{')) {
      const value = tried(() => decodeURIComponent(text))
      if (value === undefined) return undefined
      values[segment.slice(1, -1)] = value
    } else if (segment !== text) return undefined
  }
  return values
}

/** Whether a value can be part of a path. An empty value or dots would address a different resource. */
export function isPathValue(value: string): boolean {
  return value !== '' && value !== '.' && value !== '..' && value.isWellFormed()
}

/** An operation with the data that every request to it needs, computed once. */
export interface Endpoint<Id extends string = string, Operation extends HttpOperation = HttpOperation> {
  readonly id: Id
  readonly operation: Operation
  /** The fields of the path and the query. */
  readonly parameters: readonly Field[]
  /** The fields of the JSON body, by name; empty if there is none. */
  readonly bodyFields: ReadonlyMap<string, Field>
}

interface Field {
  readonly name: string
  readonly schema: JsonSchema
  readonly place: FieldPlace
  readonly isRequired: boolean
}

/** The endpoints of an API: by path, then by method. */
export function endpointsByPath<Id extends string, Operation extends HttpOperation>(
  operations: Readonly<Record<Id, Operation>>,
): ReadonlyMap<string, ReadonlyMap<string, Endpoint<Id, Operation>>> {
  const paths = new Map<string, Map<string, Endpoint<Id, Operation>>>()
  for (const [id, operation] of Object.entries(operations) as [Id, Operation][]) {
    const byMethod = paths.get(operation.path) ?? new Map<string, Endpoint<Id, Operation>>()
    paths.set(operation.path, byMethod.set(operation.method, endpointOf(id, operation)))
  }
  return paths
}

function endpointOf<Id extends string, Operation extends HttpOperation>(
  id: Id,
  operation: Operation,
): Endpoint<Id, Operation> {
  const { properties, required } = operation.input
  const fields = Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    place: fieldPlace(operation, name),
    isRequired: required?.includes(name) === true,
  }))
  return {
    id,
    operation,
    parameters: fields.filter(({ place }) => place === 'path' || place === 'query'),
    bodyFields: new Map(fields.filter(({ place }) => place === 'body').map((field) => [field.name, field])),
  }
}
