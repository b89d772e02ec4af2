/**
 * JSON without loss of digits: integers beyond 2^53 are read as bigint and written back as plain JSON numbers
 * (decision 68; the fixture is 9007199254740993).
 */

import { requireJsonLimits } from './json-limits.ts'
import { readExactJson } from './read-exact-json.ts'

export type Json = string | number | bigint | boolean | null | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

/** Only text with 16 digits in a row can hold an integer beyond 2^53. Others are left to the parser of V8. */
const MAY_BE_UNSAFE = /\d{16}/

/** Parses JSON text; an integer that a double cannot hold becomes a bigint. Throws SyntaxError. */
export function parseJson(text: string): Json {
  const value: Json = JSON.parse(text)
  return MAY_BE_UNSAFE.test(text) ? readExactJson(text) : value
}

/**
 * Parses JSON text that others wrote: answers, request bodies, inputs. What this program wrote may be a little deeper,
 * because it stands inside of other data there. Throws JsonLimitError, or another SyntaxError.
 */
export function parseForeignJson(text: string): Json {
  requireJsonLimits(text)
  // Some begin with a byte order mark.
  return parseJson(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
}

/** Writes plain data as JSON text; a bigint becomes a plain number. `undefined` members are left out. */
export function stringifyJson(value: unknown, options: { indent?: number } = {}): string {
  try {
    // A replacer is called for every field, and few texts contain a bigint.
    return JSON.stringify(value, undefined, options.indent)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return JSON.stringify(value, plainInteger, options.indent)
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Whether two values are equal when read: an integer equals the same bigint, and the order of members does not matter.
 */
export function isSameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item: Json, index) => isSameJson(item, b[index]))
  }
  if (isJsonObject(a) && isJsonObject(b)) {
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => isSameJson(a[key], b[key]))
  }
  if (typeof a === 'bigint' || typeof b === 'bigint') return stringifyJson(a) === stringifyJson(b)
  return a === b
}

function plainInteger(_key: string, value: unknown): unknown {
  // V8 has JSON.rawJSON since 11.4, but TypeScript's library does not declare it yet.
  return typeof value === 'bigint' ? rawJson(value.toString()) : value
}

const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown }
