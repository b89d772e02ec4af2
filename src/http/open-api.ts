import type { JsonSchema } from '../core/json-schema.ts'
import { fieldPlace, type HttpOperation } from './operation.ts'

/** Plain data that becomes part of an OpenAPI document. */
export type OpenApiNode = Readonly<Record<string, unknown>>

/** The paths of an OpenAPI 3.1 document: each with its operations by method. */
export function openApiPaths<Operation extends HttpOperation>(
  operations: Readonly<Record<string, Operation>>,
  describe: (id: string, operation: Operation) => OpenApiNode,
): Record<string, OpenApiNode> {
  const paths: Record<string, OpenApiNode> = {}
  for (const [id, operation] of Object.entries(operations)) {
    const { path, method } = operation
    paths[path] = { ...paths[path], [method.toLowerCase()]: describe(id, operation) }
  }
  return paths
}

/** The fields of the path and the query. `shown` converts their schemas. */
export function openApiParameters(operation: HttpOperation, shown: (schema: JsonSchema) => JsonSchema): OpenApiNode[] {
  return Object.entries(operation.input.properties).flatMap(([name, field]) => {
    const place = fieldPlace(operation, name)
    if (place !== 'path' && place !== 'query') return []
    const { description, ...schema } = shown(field)
    return [{ name, in: place, required: operation.input.required?.includes(name) === true, description, schema }]
  })
}

/** The fields of the body, and which of them are required. */
export function openApiBody(operation: HttpOperation): {
  readonly required: readonly string[]
  readonly properties: Readonly<Record<string, JsonSchema>>
} {
  const isInBody = (name: string) => ['body', 'part'].includes(fieldPlace(operation, name))
  const { required = [], properties } = operation.input
  return {
    required: required.filter(isInBody),
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isInBody(name))),
  }
}

/** A schema with each of its parts converted; an enumeration states its type. */
export function withParts(schema: JsonSchema, convert: (part: JsonSchema) => JsonSchema): JsonSchema {
  const { properties, items, anyOf, enum: values } = schema
  const changed: Record<string, unknown> = { ...schema }
  if (values && schema.type === undefined)
    changed.type = values.every((value) => typeof value === 'number') ? 'integer' : 'string'
  if (properties)
    changed.properties = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, convert(one)]))
  if (items) changed.items = convert(items)
  if (Array.isArray(anyOf)) changed.anyOf = anyOf.map((one: JsonSchema) => convert(one))
  return changed
}
