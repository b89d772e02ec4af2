/**
 * Invisible characters, and characters that change the direction of the text around them. They can make a name look
 * like another one: `list\u202evsc.exe` looks like `listexe.csv`. The joiners of scripts and emoji (U+200C, U+200D) are
 * allowed.
 */
export const MARKS = String.raw`\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0001}\u{e0020}-\u{e007f}`
const EACH_MARK = new RegExp(`[${MARKS}]`, 'gu')

/** Text of many lines. Escapes only these characters. */
export function withVisibleMarks(text: string): string {
  return text.replace(EACH_MARK, escapedCharacter)
}

/** The code of a character: `\x1b` or `\u202e`. */
export function escapedCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}
