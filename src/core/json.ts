/**
 * JSON without loss of digits: integers beyond 2^53 are read as bigint and written back as plain JSON numbers
 * (decision 68; the fixture is 9007199254740993).
 */

export type Json = string | number | bigint | boolean | null | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

/** Only text with 16 digits in a row can hold an integer beyond 2^53. Other texts are left to V8's parser. */
const MAY_BE_UNSAFE = /\d{16}/

/** Parses JSON text; an integer that a double cannot hold becomes a bigint. Throws SyntaxError. */
export function parseJson(text: string): Json {
  const value: Json = JSON.parse(text)
  return MAY_BE_UNSAFE.test(text) ? (readExactJson(text) as Json) : value
}

/**
 * Parses JSON text that others wrote: response and request bodies, inputs. Text that this program wrote may be nested a
 * little deeper, because it is inside other data. Throws JsonLimitError, or another SyntaxError.
 */
export function parseForeignJson(text: string): Json {
  requireJsonLimits(text)
  // Some texts begin with a byte order mark.
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

/**
 * A copy of the data in which `change` has replaced every text, key and number. The result of `change` for a key is
 * written as a text.
 */
export function changedData(data: unknown, change: (value: string | number | bigint) => unknown): unknown {
  if (typeof data === 'string' || typeof data === 'number' || typeof data === 'bigint') return change(data)
  if (Array.isArray(data)) return data.map((item) => changedData(item, change))
  if (typeof data !== 'object' || data === null) return data
  return Object.fromEntries(
    Object.entries(data).map(([key, member]) => [String(change(key)), changedData(member, change)]),
  )
}

function plainInteger(_key: string, value: unknown): unknown {
  // V8 has JSON.rawJSON since 11.4, but TypeScript's library does not declare it yet.
  return typeof value === 'bigint' ? rawJson(value.toString()) : value
}

const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown }

/**
 * How deep data from outside may be nested. Recursive code, such as a writer of JSON, fails at a few thousand levels.
 */
export const MAX_JSON_DEPTH = 100

/** Each value takes up to a hundred bytes of memory, and may need only two characters of text. */
export const MAX_JSON_VALUES = 5_000_000

/** Reading and writing an integer takes time that grows with the square of its length. */
export const MAX_JSON_DIGITS = 1000

/** Each different name stays in memory and takes a microsecond or more. Repeated names cost nothing. */
export const MAX_JSON_NAMES = 100_000

/** JSON text from outside that would take too much time or memory. Its message contains no part of the text. */
export class JsonLimitError extends SyntaxError {
  override readonly name = 'JsonLimitError'
}

/**
 * Throws a JsonLimitError if JSON text exceeds a limit. It uses no recursion, builds no data from the text, and takes
 * about the same time for each character. For text that is not JSON, its result means nothing.
 */
function requireJsonLimits(text: string): void {
  let [depth, values, members] = [0, 1, 0]
  let lastString = 0
  const names = new Set<string>()
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      lastString = at
      at = endOfString(text, at)
    } else if (code === COMMA) values += 1
    else if (code === COLON) {
      members += 1
      // Names are counted only beyond this number of members, which few texts have.
      if (members > MAX_JSON_NAMES) names.add(text.slice(lastString, at))
      if (names.size > MAX_JSON_NAMES) throw new JsonLimitError(`it has more than ${MAX_JSON_NAMES} different names`)
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1
      values += 1
      if (depth > MAX_JSON_DEPTH) throw new JsonLimitError(`it is nested deeper than ${MAX_JSON_DEPTH} levels`)
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      depth -= 1
      if (isEmpty(text, at)) values -= 1
    } else if (code >= ZERO && code <= NINE) at = endOfNumber(text, at)
    if (values > MAX_JSON_VALUES) throw new JsonLimitError(`it has more than ${MAX_JSON_VALUES} values`)
  }
}

/**
 * The position of the quote that ends the string that begins at `start`, or the end of the text. Most strings are so
 * short that a search would cost more.
 */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at += 1
  }
  return text.length
}

/** Whether the list or object that ends here is empty. */
function isEmpty(text: string, end: number): boolean {
  let before = end - 1
  while (text.charCodeAt(before) <= SPACE) before -= 1
  const code = text.charCodeAt(before)
  return code === OPEN_LIST || code === OPEN_OBJECT
}

/** The position of the last character of a number; a sign before it does not matter. */
function endOfNumber(text: string, start: number): number {
  let digits = 0
  for (let at = start; ; at += 1) {
    const code = text.charCodeAt(at)
    if (code >= ZERO && code <= NINE) digits += 1
    else if (!PARTS_OF_NUMBER.has(code)) return at - 1
    if (digits > MAX_JSON_DIGITS) throw new JsonLimitError(`a number in it has more than ${MAX_JSON_DIGITS} digits`)
  }
}

const [QUOTE, BACKSLASH, COMMA, COLON, SPACE] = [0x22, 0x5c, 0x2c, 0x3a, 0x20]
const [ZERO, NINE] = [0x30, 0x39]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]
const PARTS_OF_NUMBER = new Set([0x2b, 0x2d, 0x2e, 0x45, 0x65])

/**
 * Reads text that is valid JSON; each integer that a double cannot hold becomes a bigint. A reviver of `JSON.parse`
 * would see the digits, too. But it is called for every value, which takes ten times as long.
 */
export function readExactJson(text: string): unknown {
  return valueAt({ text, at: 0 })
}

interface Reading {
  readonly text: string
  at: number
}

function valueAt(reading: Reading): unknown {
  skipSpace(reading)
  switch (reading.text[reading.at]) {
    case '[':
      return listAt(reading)
    case '{':
      return objectAt(reading)
    case '"':
      return stringAt(reading)
    default:
      return plainAt(reading)
  }
}

function listAt(reading: Reading): unknown {
  const list: unknown[] = []
  while (hasMore(reading, ']')) list.push(valueAt(reading))
  return list
}

function objectAt(reading: Reading): unknown {
  const object: Record<string, unknown> = {}
  while (hasMore(reading, '}')) {
    skipSpace(reading)
    const name = stringAt(reading)
    skipSpace(reading)
    reading.at += 1
    const value = valueAt(reading)
    if (name !== '__proto__') object[name] = value
    else Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true })
  }
  return object
}

/** Steps over the bracket or the comma before an item, or over the bracket `end`. */
function hasMore(reading: Reading, end: string): boolean {
  skipSpace(reading)
  const isFirst = '[{'.includes(reading.text[reading.at] ?? '')
  if (isFirst) {
    reading.at += 1
    skipSpace(reading)
  }
  const isOver = reading.text[reading.at] === end
  if (isOver || !isFirst) reading.at += 1
  return !isOver
}

function stringAt(reading: Reading): string {
  const { text, at: start } = reading
  const end = endOfString(text, start)
  reading.at = end + 1
  const content = text.slice(start + 1, end)
  return content.includes('\\') ? JSON.parse(text.slice(start, end + 1)) : content
}

/** Reads a number, or one of the three words. */
function plainAt(reading: Reading): unknown {
  const { text, at: start } = reading
  while (reading.at < text.length && !isEndOfPlain(text.charCodeAt(reading.at))) reading.at += 1
  const token = text.slice(start, reading.at)
  if (token in WORDS) return WORDS[token as keyof typeof WORDS]
  const value = Number(token)
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(token) ? value : BigInt(token)
}

const WORDS = { true: true, false: false, null: null }

function skipSpace(reading: Reading): void {
  while (reading.text.charCodeAt(reading.at) <= SPACE) reading.at += 1
}

function isEndOfPlain(code: number): boolean {
  return code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT || code <= SPACE
}

/** JSON that has already been written as text. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
