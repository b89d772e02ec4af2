import type { JsonSchema } from '../core/json-schema.ts'

/** The part of a schema that a JSON pointer into a value leads to. */
export function schemaAt(schema: JsonSchema, pointer: string): JsonSchema {
  let place: JsonSchema = schema
  for (const raw of pointer.split('/').slice(1)) {
    const name = raw.replaceAll('~1', '/').replaceAll('~0', '~')
    const { properties = {}, additionalProperties, items } = place
    const other = typeof additionalProperties === 'object' ? additionalProperties : items
    place = (Object.hasOwn(properties, name) ? properties[name] : other) ?? {}
  }
  return place
}
