import { changedData } from './json.ts'

/** Invisible characters, except joiners (U+200C, U+200D), and characters that change the direction of text. */
const MARKS = String.raw`\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0001}\u{e0020}-\u{e007f}`
const EACH_MARK = new RegExp(`[${MARKS}]`, 'gu')
const NOT_SAFE_IN_JSON = new RegExp(String.raw`[\u007f-\u009f${MARKS}]`, 'gu')
const UNPRINTABLE = new RegExp(String.raw`[\u0000-\u0008\u000a-\u001f\u007f-\u009f${MARKS}]`, 'gu')

/**
 * Text from a document or a service, safe for a terminal. Control characters would move the cursor, rename the terminal
 * or begin a new line, and direction marks reverse text. They are shown as `\x1b`, ` ` or `\u202e`.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    const code = character.codePointAt(0) ?? 0
    if (character === '\n') return '\\n'
    if (character === '\r') return '\\r'
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}

/** Text of many lines. Escapes only invisible characters, and characters that change the direction of text. */
export function withVisibleMarks(text: string): string {
  return text.replace(EACH_MARK, printable)
}

/** Data in which every text is safe for a terminal, as `printable` makes it. */
export function printableData<T>(data: T): T {
  return changedData(data, (value) => (typeof value === 'string' ? printable(value) : value)) as T
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
