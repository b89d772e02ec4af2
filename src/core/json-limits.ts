/** How deep data from outside may be nested. Recursion over it, such as writing it as JSON, ends at some thousands. */
export const MAX_JSON_DEPTH = 100

/** Each value costs up to a hundred bytes of memory, and may have two characters of the text. */
export const MAX_JSON_VALUES = 5_000_000

/** Reading and writing an integer takes a time that grows with the square of its length. */
export const MAX_JSON_DIGITS = 1000

/** JSON text from outside that would take too much time or memory. Its message has no part of the text. */
export class JsonLimitError extends SyntaxError {
  override readonly name = 'JsonLimitError'
}

/**
 * Throws a JsonLimitError if JSON text is beyond a limit: without recursion, before anything is made of the text, and in
 * a time that is about the same for each character. Of other text it proves nothing.
 */
export function requireJsonLimits(text: string): void {
  let [depth, values] = [0, 1]
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === COMMA) values += 1
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
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
 * The place of the quote that ends the string that begins at `start`, or the end of the text. Most strings are so short
 * that a search would cost more.
 */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at += 1
  }
  return text.length
}

/** Whether the list or object that ends here has nothing in it. */
function isEmpty(text: string, end: number): boolean {
  let before = end - 1
  while (text.charCodeAt(before) <= SPACE) before -= 1
  const code = text.charCodeAt(before)
  return code === OPEN_LIST || code === OPEN_OBJECT
}

/** The place of the last character of a number; a sign before it does not matter. */
function endOfNumber(text: string, start: number): number {
  let digits = 0
  for (let at = start; ; at += 1) {
    const code = text.charCodeAt(at)
    if (code >= ZERO && code <= NINE) digits += 1
    else if (!PARTS_OF_NUMBER.has(code)) return at - 1
    if (digits > MAX_JSON_DIGITS) throw new JsonLimitError(`a number in it has more than ${MAX_JSON_DIGITS} digits`)
  }
}

const [QUOTE, BACKSLASH, COMMA, SPACE] = [0x22, 0x5c, 0x2c, 0x20]
const [ZERO, NINE] = [0x30, 0x39]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]
const PARTS_OF_NUMBER = new Set([0x2b, 0x2d, 0x2e, 0x45, 0x65])
