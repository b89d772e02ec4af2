import type { JsonSchema } from '../core/json-schema.ts'

/** The part of a schema that a JSON pointer into a value leads to. */
export function schemaAt(schema: JsonSchema, pointer: string): JsonSchema {
  const names = pointer.split('/').slice(1)
  return names.reduce((place, name) => schemaOf(place, name.replaceAll('~1', '/').replaceAll('~0', '~')), schema)
}

/** The schema of a member or an item. */
export function schemaOf({ properties = {}, additionalProperties, items }: JsonSchema, name: string): JsonSchema {
  const other = typeof additionalProperties === 'object' ? additionalProperties : items
  return (Object.hasOwn(properties, name) ? properties[name] : other) ?? {}
}
