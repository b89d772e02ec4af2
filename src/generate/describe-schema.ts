import { DURATION_PATTERN } from '../core/duration.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import { SIZE_PATTERN } from '../core/size.ts'
import { code } from './markdown.ts'

/** The kind of value that a schema takes, in a few words: `string`, `64-bit integer`, `list of string`. */
export function describeType(schema: JsonSchema): string {
  if (schema.title !== undefined) return schema.title
  if (schema.format === 'int64') return schema.type === 'string' ? '64-bit integer' : '64-bit integer or null'
  if (schema.format === 'date-time') return 'date and time'
  if (schema.format === 'file') return 'file'
  if (schema.pattern === DURATION_PATTERN) return 'duration'
  if (schema.pattern === SIZE_PATTERN) return 'size'
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if (values?.every((value) => typeof value === 'boolean')) return 'boolean'
  if (values) return values.every((value) => typeof value === 'number') ? 'integer' : 'string'
  if (schema.type === 'array') return `list of ${describeType(schema.items ?? {})}`
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])
  return types.length === 0 ? 'any' : types.join(' or ')
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
    minItems !== undefined && `at least ${minItems} ${minItems === 1 ? 'item' : 'items'}`,
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
