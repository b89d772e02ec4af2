import { resolve } from 'node:path'
import { invalidError } from '../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import type { JsonSchema } from '../core/json-schema.ts'

/**
 * What expressions can read, as plain values with integers as bigint (see `toExpressionValue`). A field that is left
 * out does not exist for the expression either.
 */
export interface Scope {
  readonly inputs?: JsonObject
  readonly variables?: JsonObject
  /** The steps that are done, by id: `{ status, outputs }`, where `outputs` is a list in a forEach. */
  readonly steps?: JsonObject
  readonly trigger?: JsonObject
  readonly run?: RunScope
  /** Only the variables that the document declares. */
  readonly env?: Readonly<Record<string, string>>
  /**
   * The last successful run: `{ steps: { ID: { outputs } }, outputs }`. The second `outputs` belongs to the step
   * itself.
   */
  readonly last?: JsonObject
  /** The result of `failure()`; if absent, whether one of `steps` has the status failed. */
  readonly failed?: boolean
  /** The outputs of the step itself, in `expect`. */
  readonly outputs?: Json
  /** In a forEach: the name from `as`, the current item, and its position in the list, which is `index`. */
  readonly item?: { readonly name: string; readonly value: Json; readonly index: number }
}

/** In a plan only `profile` is known. */
interface RunScope {
  readonly id?: string
  readonly pipeline?: string
  /** The profile that the run was submitted under. */
  readonly profile?: string | undefined
  /** RFC 3339; `now()` and `today()` use it, so that a resumed run gives the same results. */
  readonly startedAt?: string
  /** If a step failed: its id, and the message of its error. */
  readonly failedStep?: string
  readonly error?: string
}

/**
 * Values in expressions and values in memory differ only in integers. Expressions have one kind of integer, bigint. In
 * memory, an integer is a number, and a 64-bit id is a decimal string (decision 68).
 */

/**
 * Converts a value from its in-memory form to the form of expressions: integers and 64-bit ids become bigint. In values
 * that the schema does not describe, safe integers become bigint and the rest stays as it is.
 */
export function toExpressionValue(schema: JsonSchema, value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => toExpressionValue(schema.items ?? {}, item))
  if (isJsonObject(value)) return mapFields(schema, value, toExpressionValue)
  if (typeof value === 'number') return isIntegerIn(schema, value) ? BigInt(value) : value
  return typeof value === 'string' && schema.format === 'int64' && /^\d{1,19}$/.test(value) ? BigInt(value) : value
}

/**
 * Converts a value from an expression or the document to the in-memory form of its schema: bigint becomes a decimal
 * string if the schema wants a 64-bit id, otherwise a number. An integer that a number cannot hold stays a bigint where
 * the schema does not describe it; elsewhere it throws AudienceError `integer-too-large`.
 */
export function toInput(schema: JsonSchema, value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => toInput(schema.items ?? {}, item))
  if (isJsonObject(value)) return mapFields(schema, value, toInput)
  if (typeof value !== 'bigint') return value
  if (schema.format === 'int64') return value.toString()
  const number = Number(value)
  if (Number.isSafeInteger(number)) return number
  if (schema.type === undefined && schema.enum === undefined) return value
  throw invalidError(
    'integer-too-large',
    `the integer ${value} is too large here`,
    'write it in quotes if text is meant',
  )
}

function isIntegerIn(schema: JsonSchema, value: number): boolean {
  if (!Number.isSafeInteger(value) || Object.is(value, -0)) return false
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type
  return !types?.includes('number')
}

function mapFields(
  schema: JsonSchema,
  value: Readonly<Record<string, Json | undefined>>,
  convert: (schema: JsonSchema, value: Json) => Json,
): Json {
  const mapped: Record<string, Json> = {}
  for (const [key, field] of Object.entries(value)) {
    if (field === undefined) continue
    const { properties = {}, additionalProperties } = schema
    const other = typeof additionalProperties === 'object' ? additionalProperties : {}
    const fieldSchema = Object.hasOwn(properties, key) ? properties[key] : other
    Object.defineProperty(mapped, key, {
      value: convert(fieldSchema ?? {}, field),
      enumerable: true,
      writable: true,
      configurable: true,
    })
  }
  return mapped
}

/** The fields of a step with absolute file paths: relative ones are resolved against the document's folder. */
export function withFiles(given: Json, schema: JsonSchema, folder: string): Json {
  if (typeof given === 'string') return schema.format === 'file' ? resolve(folder, given) : given
  if (!isJsonObject(given)) return given
  const { properties = {} } = schema
  const fields = Object.entries(given).map(([name, value = null]) => [
    name,
    Object.hasOwn(properties, name) ? withFiles(value, properties[name] ?? {}, folder) : value,
  ])
  return Object.fromEntries(fields)
}
