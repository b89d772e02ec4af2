import type { Json } from './json.ts'
import { endOfString } from './json-limits.ts'

/**
 * Reads text that is valid JSON, with each integer that a double cannot hold as a bigint. A reviver of `JSON.parse` would
 * see the digits, too; but it is called for every value, which takes ten times as long.
 */
export function readExactJson(text: string): Json {
  return valueAt({ text, at: 0 })
}

interface Reading {
  readonly text: string
  at: number
}

function valueAt(reading: Reading): Json {
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

function listAt(reading: Reading): Json {
  const list: Json[] = []
  while (hasMore(reading, ']')) list.push(valueAt(reading))
  return list
}

function objectAt(reading: Reading): Json {
  const object: Record<string, Json> = {}
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

/** A number, or one of the three words. */
function plainAt(reading: Reading): Json {
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

const [SPACE, COMMA, CLOSE_LIST, CLOSE_OBJECT] = [0x20, 0x2c, 0x5d, 0x7d]
