import { isJsonObject, type Json } from '../core/json.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import { describeLimits } from './describe-schema.ts'

/**
 * The schema with the limits of every value in its description, because editors show descriptions but neither lengths
 * nor ranges. They do show the values of an enumeration.
 */
export function withLimits(schema: JsonSchema): JsonSchema {
  // It is data through and through, and stays a schema.
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
  // A value that may be an expression instead is the first of the two.
  const [plain = schema] = Array.isArray(schema.anyOf) ? (schema.anyOf as readonly JsonSchema[]) : []
  const { minimum, maximum, maxLength, minItems, pattern } = plain
  return describeLimits({
    ...(maximum !== MAX_INT32 && pattern !== DIGITS && { minimum, maximum }),
    ...(pattern === NOT_BLANK && { pattern }),
    ...{ maxLength, minItems },
  })
}

/** Ids of 32 and of 64 bits: that they fit is nothing that people want to read. */
const MAX_INT32 = 2_147_483_647
const DIGITS = '^[0-9]+$'
/** The one pattern that has words. */
const NOT_BLANK = '\\S'

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
