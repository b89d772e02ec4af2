import type { JsonSchema } from '../../core/json-schema.ts'

/**
 * The parts of a value that a schema names, and nothing else: what an answer does not promise, such as a token, does not
 * go on. A field that is null is left out. Returns undefined if a required field is missing.
 */
export function pickFields(schema: JsonSchema, value: unknown): unknown {
  if (schema.items && Array.isArray(value)) {
    const { items } = schema
    const picked = value.map((one) => pickFields(items, one))
    return picked.includes(undefined) ? undefined : picked
  }
  if (!schema.properties) return value
  if (typeof value !== 'object' || value === null) return undefined
  const fields = new Map(Object.entries(value))
  const picked: Record<string, unknown> = {}
  for (const [name, part] of Object.entries(schema.properties)) {
    const given = fields.get(name) ?? undefined
    const chosen = given === undefined ? undefined : pickFields(part, given)
    if (chosen !== undefined) picked[name] = chosen
    else if (schema.required?.includes(name)) return undefined
  }
  return picked
}
