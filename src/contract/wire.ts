import { isJsonObject, type Json } from '../core/json.ts'
import type { JsonSchema } from '../core/json-schema.ts'

/**
 * Memory and wire differ only in 64-bit ids: a decimal string in memory, a number on the wire (decision 68). Values
 * that a schema does not describe pass unchanged (decision 12). An id that is text may still arrive as a number,
 * because the service sends the same id as text in one place and as a number in another (decisions 70 and 97).
 */

/** Converts a value for a JSON body: 64-bit ids become bigint, which `stringifyJson` writes as plain numbers. */
export const toWire = converting(isInt64, (id) => (typeof id === 'string' && /^\d+$/.test(id) ? BigInt(id) : id))

/** Converts a value that `parseJson` read from a body: ids become strings. */
export const fromWire = converting(isTextOrInt64, (id) =>
  typeof id === 'bigint' || (typeof id === 'number' && Number.isSafeInteger(id)) ? id.toString() : id,
)

function isTextOrInt64(schema: JsonSchema, name: string): boolean {
  return isInt64(schema) || (/id$/i.test(name) && [schema.type].flat().includes('string'))
}

function isInt64({ format }: JsonSchema): boolean {
  return format === 'int64'
}

type Convert = (value: Json) => Json

/** Determines only once where a schema has ids: the same few schemas describe every request and response. */
function converting(
  isId: (schema: JsonSchema, name: string) => boolean,
  convert: Convert,
): (schema: JsonSchema, value: Json) => Json {
  const known = new WeakMap<JsonSchema, Convert>()

  /** Undefined if no value of the schema contains an id. */
  function find(schema: JsonSchema, name = ''): Convert | undefined {
    if (isId(schema, name)) return convert
    const { items, properties = {} } = schema
    const inItem = items && find(items)
    if (inItem) return (value) => (Array.isArray(value) ? value.map(inItem) : value)
    const members = Object.entries(properties).flatMap(([key, property]) => {
      const inMember = find(property, key)
      return inMember ? [[key, inMember] as const] : []
    })
    return members.length === 0 ? undefined : inMembers(members)
  }

  return (schema, value) => {
    const before = known.get(schema)
    if (before) return before(value)
    const found = find(schema) ?? asItIs
    known.set(schema, found)
    return found(value)
  }
}

function asItIs(value: Json): Json {
  return value
}

function inMembers(members: readonly (readonly [name: string, convert: Convert])[]): Convert {
  return (value) => {
    if (!isJsonObject(value)) return value
    const mapped = { ...value }
    for (const [name, convert] of members) {
      const member = value[name]
      if (member !== undefined) mapped[name] = convert(member)
    }
    return mapped
  }
}
