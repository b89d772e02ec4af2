import { isAscii } from '../core/byte-text.ts'
import { withoutEnds } from '../core/without-ends.ts'

/**
 * The characters that are removed from a key before it is checked. They are listed here instead of named by their
 * Unicode property, so that JavaScript and SQL agree whatever version of Unicode each has. A test compares the lists
 * with Node's.
 */

/**
 * Invisible characters, as the inside of a character class: those of Unicode's category Cf (zero width space and
 * joiners, soft hyphen, direction marks, word joiner, byte order mark, …) and the others that are ignorable by default.
 */
export const INVISIBLE = [
  String.raw`\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890-\u0891\u08e2\u115f-\u1160\u17b4-\u17b5\u180b-\u180f`,
  String.raw`\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{110bd}\u{110cd}`,
  String.raw`\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}`,
].join('')

/** Unicode's White_Space, as text. */
export const WHITE_SPACE = `\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000`
export const ASCII_WHITE_SPACE = '\t\n\v\f\r '

const ALL_INVISIBLE = new RegExp(`[${INVISIBLE}]+`, 'gu')

/** Text without invisible characters. */
export function visibleText(text: string): string {
  return text.replace(ALL_INVISIBLE, '')
}

/** Text without invisible characters, and without white space at its ends. */
export function trimmedText(text: string): string {
  // Most text is already trimmed, and no ASCII character is invisible.
  if (isShown(text, 0) && isShown(text, text.length - 1) && isAscii(text)) return text
  return withoutEnds(visibleText(text), WHITE_SPACE)
}

/** Whether the character at a position is an ASCII letter, digit or symbol. */
export function isShown(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code > 0x20 && code < 0x7f
}

/**
 * Text in Unicode's composed form (NFC): `é` is one character, whether a keyboard made it from one or from two. Once
 * Unicode has a character, its forms never change. So two versions differ only in characters that one of them lacks.
 */
export function composedText(text: string): string {
  return isAscii(text) ? text : text.normalize('NFC')
}
