import type { JsonSchema, ObjectSchema } from '../core/json-schema.ts'

/** Whether a schema is one of an object with named properties; other types may be allowed beside it. */
export function isObjectSchema(schema: JsonSchema): schema is ObjectSchema {
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])
  return types.includes('object') && schema.properties !== undefined
}
