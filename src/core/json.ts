/**
 * JSON without loss of digits: integers beyond 2^53 are read as bigint and written back as plain JSON numbers
 * (decision 68; the fixture is 9007199254740993).
 */

export type Json = string | number | bigint | boolean | null | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

/** Only text with 16 digits in a row can hold an integer beyond 2^53, so only such text needs a reviver. */
const MAY_BE_UNSAFE = /\d{16}/

/** Parses JSON text; an integer that a double cannot hold becomes a bigint. Throws SyntaxError. */
export function parseJson(text: string): Json {
  return MAY_BE_UNSAFE.test(text) ? JSON.parse(text, exactInteger) : JSON.parse(text)
}

/** How deep data from outside may be nested. Recursion over it, such as writing it as JSON, ends at some thousands. */
export const MAX_JSON_DEPTH = 100

/** Its message has no part of the text. */
export class JsonTooDeepError extends SyntaxError {
  override readonly name = 'JsonTooDeepError'

  constructor() {
    super(`it is nested deeper than ${MAX_JSON_DEPTH} levels`)
  }
}

/**
 * Parses JSON text that others wrote: answers, request bodies, inputs. What this program wrote may be a little deeper,
 * because it stands inside of other data there. Throws JsonTooDeepError, or another SyntaxError.
 */
export function parseForeignJson(text: string): Json {
  if (isTooDeep(text)) throw new JsonTooDeepError()
  // Some begin with a byte order mark.
  return parseJson(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
}

/** Without recursion, and before anything is made of the text. */
function isTooDeep(text: string): boolean {
  let depth = 0
  for (let at = text.length > MAX_JSON_DEPTH ? 0 : text.length; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1
      if (depth > MAX_JSON_DEPTH) return true
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** The place of the quote that ends the string that begins at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let from = start + 1; ; ) {
    const end = text.indexOf('"', from)
    if (end === -1) return text.length
    let escapes = end
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes -= 1
    if ((end - escapes) % 2 === 0) return end
    from = end + 1
  }
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

function exactInteger(this: unknown, _key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  return context?.source !== undefined && /^-?\d+$/.test(context.source) ? BigInt(context.source) : value
}

function plainInteger(_key: string, value: unknown): unknown {
  // V8 has JSON.rawJSON since 11.4, but TypeScript's library does not declare it yet.
  return typeof value === 'bigint' ? rawJson(value.toString()) : value
}

const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown }
