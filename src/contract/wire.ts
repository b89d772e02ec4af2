import { isJsonObject, type Json } from '../core/json.ts'
import type { JsonSchema } from '../core/json-schema.ts'

/**
 * Memory and wire differ only in 64-bit ids: a decimal string in memory, a number on the wire (decision 68). Values
 * that a schema does not describe pass unchanged (decision 12). An id that is text may still arrive as a number: the
 * service sends the same id as text in one place and as a number in another (decisions 70 and 97).
 */

/** Converts a value for a JSON body: 64-bit ids become bigint, which `stringifyJson` writes as plain numbers. */
export function toWire(schema: JsonSchema, value: Json): Json {
  return mapIds(schema, value, isInt64, (id) => (typeof id === 'string' && /^\d+$/.test(id) ? BigInt(id) : id))
}

/** Converts a value that `parseJson` read from a body: ids become strings. */
export function fromWire(schema: JsonSchema, value: Json): Json {
  return mapIds(schema, value, isTextOrInt64, (id) =>
    typeof id === 'bigint' || (typeof id === 'number' && Number.isSafeInteger(id)) ? id.toString() : id,
  )
}

/** Whether a value of this schema may hold an id that `fromWire` changes. */
export function holdsIds({ items, properties = {}, ...schema }: JsonSchema, name = ''): boolean {
  if (isTextOrInt64(schema, name)) return true
  return (
    (items !== undefined && holdsIds(items)) || Object.entries(properties).some(([key, each]) => holdsIds(each, key))
  )
}

function isTextOrInt64(schema: JsonSchema, name: string): boolean {
  return isInt64(schema) || (/id$/i.test(name) && [schema.type].flat().includes('string'))
}

function isInt64({ format }: JsonSchema): boolean {
  return format === 'int64'
}

function mapIds(
  schema: JsonSchema,
  value: Json,
  isId: (schema: JsonSchema, name: string) => boolean,
  convert: (id: Json) => Json,
  name = '',
): Json {
  if (isId(schema, name)) return convert(value)
  const { items, properties } = schema
  if (items && Array.isArray(value)) return value.map((item) => mapIds(items, item, isId, convert))
  if (!properties || !isJsonObject(value)) return value
  const mapped: Record<string, Json | undefined> = {}
  for (const [key, member] of Object.entries(value)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined
    mapped[key] = property && member !== undefined ? mapIds(property, member, isId, convert, key) : member
  }
  return mapped
}
