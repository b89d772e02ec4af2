import type { JsonSchema, ObjectSchema } from '../core/json-schema.ts'

/** Whether a schema describes an object with named properties; it may also allow other types. */
export function isObjectSchema(schema: JsonSchema): schema is ObjectSchema {
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])
  return types.includes('object') && schema.properties !== undefined
}
