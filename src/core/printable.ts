import { escapedCharacter, MARKS } from './format/visible-marks.ts'
import { changedData, stringifyJson } from './json.ts'

const NOT_SAFE_IN_JSON = new RegExp(String.raw`[\u007f-\u009f${MARKS}]`, 'gu')
const UNPRINTABLE = new RegExp(String.raw`[\u0000-\u0008\u000a-\u001f\u007f-\u009f${MARKS}]`, 'gu')

/**
 * Text from a document or a service, safe for a terminal. Control characters would move the cursor, rename the terminal
 * or begin a new line, and direction marks reverse text. They are shown as `\x1b`, ` ` or `\u202e`.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    if (character === '\n') return '\\n'
    return character === '\r' ? '\\r' : escapedCharacter(character)
  })
}

/** Data in which every text is safe for a terminal, as `printable` makes it. */
export function printableData<T>(data: T): T {
  return changedData(data, (value) => (typeof value === 'string' ? printable(value) : value)) as T
}

/** Data as one line of JSON that is safe for a terminal. A bigint becomes a plain number. */
export function jsonLine(data: unknown): string {
  return printableJson(stringifyJson(data))
}

/** JSON that is safe for a terminal and still has the same meaning. */
export function printableJson(json: string): string {
  // JSON escapes the two halves of a character beyond U+FFFF.
  return json.replace(NOT_SAFE_IN_JSON, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
