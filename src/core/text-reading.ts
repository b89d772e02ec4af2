import { type ByteSpan, isAscii } from './byte-text.ts'

/**
 * What can precede the next byte: a visible ASCII character; the first or a later byte of a longer character; or a byte
 * after the start of another encoding, a tag or a colour. The bytes after such a start may be anything.
 */
const SIGN = 0
const FIRST = 1
const MORE = 2
const ENCODED = 3
/** How many bytes after such a start may be anything: `\\x3cbr \xff` is the beginning of a tag, not text. */
const ENCODED_BYTES = 9
const KINDS = ENCODED + ENCODED_BYTES

/** With this limit, a state fits in one byte. */
const MOST = 12

/** The table that distinguishes text from other bytes. */
export interface TextReading {
  /**
   * The next state for each state and byte, at `(state << 8) | byte`. A state says how many visible characters were
   * read with only text between them, and what the last one was. It starts at 0, and returns to 0 after bytes that are
   * not text.
   */
  readonly states: Uint8Array
  /** The minimum number of visible characters in a text. */
  readonly least: number
  /** The first state with `least` visible characters. All higher states have `least` visible characters, too. */
  readonly enough: number
}

/** Makes the table for text that may contain one of `forms`. */
export function textReading(forms: readonly string[], least: number): TextReading {
  if (least > MOST) throw new RangeError(`a state does not fit in one byte if it counts to ${least}`)
  const states = new Uint8Array((least + 1) * KINDS * 256)
  // If all forms are ASCII, longer characters are not counted: they occur only between visible ASCII characters.
  const onlyAscii = forms.every(isAscii)
  for (let kind = 0; kind < KINDS; kind++)
    for (let byte = 0; byte < 256; byte++) {
      const { next, add, anew } = after(kind, byte)
      const more = onlyAscii && byte >= 0x80 ? 0 : add
      for (let count = 0; count <= least; count++) {
        const counted = Math.min(least, (anew ? 0 : count) + more)
        states[((count * KINDS + kind) << 8) | byte] = counted * KINDS + next
      }
    }
  return { states, least, enough: least * KINDS }
}

interface After {
  readonly next: number
  /** How many visible characters the byte adds. */
  readonly add: number
  /** Whether the preceding text is discarded, because it is not text. */
  readonly anew?: boolean
}

function after(kind: number, byte: number): After {
  const add = Number(byte > 0x20 && byte !== 0x7f)
  if ('%\\&<\x1b'.includes(String.fromCharCode(byte))) return { next: KINDS - 1, add }
  if (kind > ENCODED) return { next: kind - 1, add }
  // White space may break a character of several bytes, and a plus may be a space.
  if (add === 0 || byte === 0x2b) return { next: kind, add }
  if (byte < 0x80) return { next: SIGN, add, anew: kind === FIRST }
  if (byte < 0xc0) {
    if (kind === SIGN) return { next: SIGN, add: 0, anew: true }
    return { next: MORE, add: kind === FIRST ? 2 : 1 }
  }
  if (byte < 0xc2 || byte > 0xf4) return { next: SIGN, add: 0, anew: true }
  return { next: FIRST, add: 0, anew: kind === FIRST }
}

/** The stretches of text among some bytes. If a stretch begins a little too early, that does no harm. */
export function textParts(bytes: string, { states, enough }: TextReading): readonly ByteSpan[] {
  const parts: ByteSpan[] = []
  let state = 0
  let from = 0
  for (let at = 0; at < bytes.length; at++) {
    const next = states[(state << 8) | bytes.charCodeAt(at)] as number
    if (next < KINDS || (state >= enough && next < enough)) {
      if (state >= enough) parts.push({ from, to: at })
      from = at
    }
    state = next
  }
  if (state >= enough) parts.push({ from, to: bytes.length })
  return parts
}
