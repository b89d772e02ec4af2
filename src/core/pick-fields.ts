import type { JsonSchema } from './json-schema.ts'

/**
 * The parts of a value that a schema names, and nothing else: undocumented fields, such as a token, are dropped. Leaves
 * out null fields, unless `keepNull`. Returns undefined if a required field is missing.
 */
export function pickFields(schema: JsonSchema, value: unknown, options: { keepNull?: boolean } = {}): unknown {
  if (schema.items && Array.isArray(value)) {
    const { items } = schema
    const picked = value.map((one) => pickFields(items, one, options))
    return picked.includes(undefined) ? undefined : picked
  }
  if (!schema.properties) return value
  if (typeof value !== 'object' || value === null) return undefined
  const fields = new Map(Object.entries(value))
  const picked: Record<string, unknown> = {}
  for (const [name, part] of Object.entries(schema.properties)) {
    const given = fields.get(name)
    const isGiven = given !== undefined && given !== null
    const chosen = isGiven ? pickFields(part, given, options) : options.keepNull ? given : undefined
    if (chosen !== undefined) picked[name] = chosen
    else if (schema.required?.includes(name)) return undefined
  }
  return picked
}
