import type { JsonSchema } from '../core/json-schema.ts'

/** The part of a schema at the place that a JSON pointer into a value names. */
export function schemaAt(schema: JsonSchema, pointer: string): JsonSchema {
  const names = pointer.split('/').slice(1)
  return names.reduce((place, name) => schemaOf(place, name.replaceAll('~1', '/').replaceAll('~0', '~')), schema)
}

/** The names that a map of this schema may have, in any of its alternatives. */
export function namesIn({ properties, anyOf }: JsonSchema): string[] {
  if (properties) return Object.keys(properties)
  return Array.isArray(anyOf) ? anyOf.flatMap((alternative: JsonSchema) => namesIn(alternative)) : []
}

/** The schema of a member or an item, in the alternative that defines it. */
export function schemaOf(
  { properties = {}, additionalProperties, items, anyOf }: JsonSchema,
  name: string,
): JsonSchema {
  if (Object.hasOwn(properties, name)) return properties[name] ?? {}
  if (typeof additionalProperties === 'object') return additionalProperties
  if (items || !Array.isArray(anyOf)) return items ?? {}
  const known = anyOf.find((alternative: JsonSchema) => Object.hasOwn(alternative.properties ?? {}, name))
  return known ? schemaOf(known, name) : {}
}
