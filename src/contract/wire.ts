import { isJsonObject, type Json } from '../core/json.ts'
import type { JsonSchema } from '../core/json-schema.ts'

/**
 * Between memory and wire only 64-bit ids differ: a decimal string here, a JSON number there (decision 68). What a
 * schema does not describe passes as it is (decision 12).
 */

/** A value as it goes into a JSON body: 64-bit ids become bigint, which `stringifyJson` writes as plain numbers. */
export function toWire(schema: JsonSchema, value: Json): Json {
  return mapInt64(schema, value, (id) => (typeof id === 'string' && /^\d+$/.test(id) ? BigInt(id) : id))
}

/** A value as `parseJson` read it from a body: 64-bit ids become decimal strings. */
export function fromWire(schema: JsonSchema, value: Json): Json {
  return mapInt64(schema, value, (id) =>
    typeof id === 'bigint' || (typeof id === 'number' && Number.isSafeInteger(id)) ? id.toString() : id,
  )
}

function mapInt64(schema: JsonSchema, value: Json, convert: (id: Json) => Json): Json {
  if (schema.format === 'int64') return convert(value)
  const { items, properties } = schema
  if (items && Array.isArray(value)) return value.map((item) => mapInt64(items, item, convert))
  if (!properties || !isJsonObject(value)) return value
  const mapped: Record<string, Json | undefined> = {}
  for (const [key, member] of Object.entries(value)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined
    mapped[key] = property && member !== undefined ? mapInt64(property, member, convert) : member
  }
  return mapped
}
