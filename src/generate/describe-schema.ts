import { DURATION_PATTERN } from '../core/duration.ts'
import { count } from '../core/format/figures.ts'
import { isJsonObject, type Json } from '../core/json.ts'
import type { JsonSchema, ObjectSchema } from '../core/json-schema.ts'
import { SIZE_PATTERN } from '../core/size.ts'
import { code } from './markdown.ts'

/** The kind of value that a schema takes, in a few words: `string`, `64-bit integer`, `list of string`. */
export function describeSchema(schema: JsonSchema): string {
  if (schema.title !== undefined) return schema.title
  if (schema.format === 'int64') return schema.type === 'string' ? '64-bit integer' : '64-bit integer or null'
  if (schema.format === 'date-time') return 'date and time'
  if (schema.format === 'file') return 'file'
  if (schema.pattern === DURATION_PATTERN) return 'duration'
  if (schema.pattern === SIZE_PATTERN) return 'size'
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if (values?.every((value) => typeof value === 'boolean')) return 'boolean'
  if (values) return values.every((value) => typeof value === 'number') ? 'integer' : 'string'
  if (schema.type === 'array') return `list of ${describeSchema(schema.items ?? {})}`
  const types = typesOf(schema)
  return types.length === 0 ? 'any' : types.join(' or ')
}

/** Whether a schema describes an object with named properties; it may also allow other types. */
export function isObjectSchema(schema: JsonSchema): schema is ObjectSchema {
  return typesOf(schema).includes('object') && schema.properties !== undefined
}

/** The types that a schema allows; empty if it does not name any. */
export function typesOf({ type = [] }: JsonSchema): readonly string[] {
  return [type].flat()
}

/** The limits of a value beyond its type; empty if there are none. */
export function describeLimits(schema: JsonSchema): string {
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, minItems, pattern, items } = schema
  const limits = [
    schema.enum && `one of ${codes(schema.enum)}`,
    items?.enum && `each one of ${codes(items.enum)}`,
    schema.const !== undefined && `only ${code(String(schema.const))}`,
    between(minimum, maximum),
    exclusiveMinimum !== undefined && `above ${exclusiveMinimum}`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    patternText(pattern) ?? (minLength === 1 && 'not empty'),
    minItems !== undefined && `at least ${count(Number(minItems), 'item')}`,
    schema.default !== undefined && `default: ${codes([schema.default].flat())}`,
    known(schema.examples ?? items?.examples),
  ]
  return limits.filter((limit) => typeof limit === 'string').join('; ')
}

function between(minimum: unknown, maximum: unknown): string | undefined {
  if (minimum === undefined) return maximum === undefined ? undefined : `at most ${maximum}`
  return maximum === undefined ? `at least ${minimum}` : `${minimum} to ${maximum}`
}

/** The known values of an enumeration that may grow. */
function known(values: unknown): string | undefined {
  return Array.isArray(values) ? `known: ${codes(values)}` : undefined
}

function patternText(pattern: unknown): string | undefined {
  if (typeof pattern !== 'string' || pattern === DURATION_PATTERN || pattern === SIZE_PATTERN) return undefined
  return pattern === '\\S' ? 'not blank' : `matches ${code(pattern)}`
}

function codes(values: readonly unknown[]): string {
  return values.map((value) => code(String(value))).join(', ')
}

/**
 * The schema with the limits of every value in its description. Editors show descriptions and the values of an
 * enumeration, but neither lengths nor ranges.
 */
export function withLimits(schema: JsonSchema): JsonSchema {
  // The casts are safe: a schema is plain JSON data, and the result is still a schema.
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
  const isId = maximum === MAX_INT32 || pattern === DIGITS
  return describeLimits({
    minimum: isId ? undefined : minimum,
    maximum: isId ? undefined : maximum,
    pattern: pattern === NOT_BLANK ? pattern : undefined,
    maxLength,
    minItems,
    default: byDefault,
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
