// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const UNPRINTABLE = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/**
 * A text of a document or a service, safe for a terminal. Control characters would move the cursor, rename the terminal
 * or begin a new line, and direction marks reverse text: they are shown as `\x1b`, `\n` or `\u202e`.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    const code = character.charCodeAt(0)
    if (character === '\n') return '\\n'
    if (character === '\r') return '\\r'
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`
  })
}

/** The same for every text in the data. */
export function printableData<T>(data: T): T {
  if (typeof data === 'string') return printable(data) as T
  if (Array.isArray(data)) return data.map(printableData) as T
  if (typeof data !== 'object' || data === null) return data
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [printable(key), printableData(value)])) as T
}

/** JSON that is safe for a terminal and still the same JSON. */
export function printableJson(json: string): string {
  return json.replace(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
