import type { JsonSchema } from '../core/json-schema.ts'

/**
 * A schema of the contract as OpenAPI shows it: the form on the wire, not in memory. A 64-bit id is an integer
 * (decision 68), an enumeration states its type, and a schema with a title becomes a reference to a component.
 */
export function wireSchema(schema: JsonSchema): JsonSchema {
  return schema.title === undefined ? expandedSchema(schema) : { $ref: `#/components/schemas/${schema.title}` }
}

/** The same, but with the titled schema itself written out: the content of the component. */
export function expandedSchema(schema: JsonSchema): JsonSchema {
  if (schema.format === 'int64') {
    return { ...schema, type: schema.type === 'string' ? 'integer' : ['integer', 'null'], minimum: 0 }
  }
  const { properties, items, enum: values } = schema
  return {
    ...(values && schema.type === undefined && { type: typeOf(values) }),
    ...schema,
    ...(properties && { properties: wireProperties(properties) }),
    ...(items && { items: wireSchema(items) }),
  }
}

function wireProperties(properties: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, wireSchema(schema)]))
}

function typeOf(values: readonly unknown[]): string {
  return values.every((value) => typeof value === 'number') ? 'integer' : 'string'
}
