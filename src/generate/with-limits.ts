import { isJsonObject, type Json } from '../core/json.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import { describeLimits } from './describe-schema.ts'

/**
 * The schema with the limits of every value in its description. Editors show descriptions and the values of an
 * enumeration, but neither lengths nor ranges.
 */
export function withLimits(schema: JsonSchema): JsonSchema {
  // The schema is plain JSON data, and stays a schema.
  return described(schema as unknown as Json) as unknown as JsonSchema
}

function described(node: Json): Json {
  if (Array.isArray(node)) return node.map(described)
  if (!isJsonObject(node)) return node
  const inner = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, described(value ?? null)]))
  const { description } = node
  if (typeof description !== 'string') return inner
  const limits = limitsOf(node as JsonSchema)
  return limits === '' ? inner : { ...inner, description: `${description} ${sentence(limits)}` }
}

function limitsOf(schema: JsonSchema): string {
  // For a value that may be an expression instead, the value's own schema comes first.
  const [plain = schema] = Array.isArray(schema.anyOf) ? (schema.anyOf as readonly JsonSchema[]) : []
  const { minimum, maximum, maxLength, minItems, pattern, default: byDefault } = plain
  return describeLimits({
    ...(maximum !== MAX_INT32 && pattern !== DIGITS && { minimum, maximum }),
    ...(pattern === NOT_BLANK && { pattern }),
    ...{ maxLength, minItems, default: byDefault },
  })
}

/** The limits of 32-bit and 64-bit ids, which people need not read. */
const MAX_INT32 = 2_147_483_647
const DIGITS = '^[0-9]+$'
/** The one pattern that is described in words. */
const NOT_BLANK = '\\S'

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
