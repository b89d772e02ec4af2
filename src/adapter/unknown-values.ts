import { isJsonObject, type Json } from '../core/json.ts'
import type { JsonSchema } from '../core/json-schema.ts'

export type FindUnknown = (value: Json | undefined, found: (field: string, value: string) => void) => void

/**
 * Finds the values of an answer that the contract does not list for their field; such values are accepted (decisions
 * 12, 25, 125). Undefined for a schema that lists no values.
 */
export function unknownValueFinder(schema: JsonSchema, field = 'value'): FindUnknown | undefined {
  if (schema.type === 'string' && Array.isArray(schema.examples))
    return inList(new Set<unknown>(schema.examples), field)
  if (schema.items) return inItems(unknownValueFinder(schema.items, field))
  const members: [name: string, find: FindUnknown][] = []
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const find = unknownValueFinder(property, name)
    if (find) members.push([name, find])
  }
  return members.length === 0 ? undefined : inMembers(members)
}

function inList(known: ReadonlySet<unknown>, field: string): FindUnknown {
  return (value, found) => {
    if (typeof value === 'string' && !known.has(value)) found(field, value)
  }
}

function inItems(find: FindUnknown | undefined): FindUnknown | undefined {
  if (!find) return undefined
  return (value, found) => {
    if (Array.isArray(value)) for (const item of value) find(item, found)
  }
}

function inMembers(members: readonly (readonly [name: string, find: FindUnknown])[]): FindUnknown {
  return (value, found) => {
    if (!isJsonObject(value)) return
    for (const [name, find] of members) find(value[name], found)
  }
}
