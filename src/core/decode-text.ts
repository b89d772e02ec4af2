/**
 * The text of a file that people write. Each invalid UTF-8 byte becomes U+FFFD; a text from a file with invalid bytes
 * must not be used.
 */
export interface DecodedText {
  readonly text: string
  readonly invalid?: InvalidByte
}

/** Why a file could not be read: `it is a folder`. */
export interface UnreadText {
  readonly unread: string
}

/** The first byte at which a file is not valid UTF-8. */
export interface InvalidByte {
  /** From 0, in bytes. */
  readonly offset: number
  readonly byte: number
  /** The position of its replacement in the text, in UTF-16 units, without a byte order mark. */
  readonly index: number
  /** From 1. */
  readonly line: number
}

const BYTE_ORDER_MARK = '\ufeff'
const REPLACEMENT = '\ufffd'
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT)

/** Decodes UTF-8. A byte order mark remains a character of the text. */
export function decodeText(bytes: Buffer): DecodedText {
  const text = bytes.toString('utf8')
  const invalid = firstInvalid(text, bytes)
  return invalid ? { text, invalid } : { text }
}

/** A sentence about the byte: `it is not UTF-8: byte 0xe9 at offset 41, line 3`. */
export function notUtf8({ offset, byte, line }: InvalidByte): string {
  return `it is not UTF-8: byte 0x${byte.toString(16).padStart(2, '0')} at offset ${offset}, line ${line}`
}

/**
 * Decoding loses nothing before the first replacement character that is not in the file itself, so the bytes before
 * that character can be counted.
 */
function firstInvalid(text: string, bytes: Buffer): InvalidByte | undefined {
  let offset = 0
  let counted = 0
  for (let index = text.indexOf(REPLACEMENT); index !== -1; index = text.indexOf(REPLACEMENT, index + 1)) {
    offset += Buffer.byteLength(text.slice(counted, index))
    counted = index
    if (REPLACEMENT_BYTES.equals(bytes.subarray(offset, offset + REPLACEMENT_BYTES.length))) continue
    const line = text.slice(0, index).split('\n').length
    return { offset, byte: bytes[offset] ?? 0, index: text.startsWith(BYTE_ORDER_MARK) ? index - 1 : index, line }
  }
  return undefined
}
