import { type ByteText, type Escape, isAscii, made, replaced, withoutEscapes } from './byte-text.ts'
import { htmlEntity } from './html-entities.ts'
import { type TextReading, textParts } from './text-reading.ts'

/** Text decoded with one encoding; undefined if that changes nothing. */
export type Decoding = (text: ByteText) => ByteText | undefined

/**
 * What can break a word when text is wrapped or shown: all white space, control and format characters, soft hyphens,
 * the tags `<wbr>` and `<br>`, and terminal colours. The pattern has no flag `i`, which would make \xc2 and \xe2 the
 * same.
 */
const BREAKS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what the pattern is for
  /\x1b\[[0-9;]*m|\x1b|[\0-\x1a\x1c-\x20\x7f]+|\xc2[\x80-\xa0\xad]|\xe2\x80[\x80-\x8f\xa8-\xaf]|\xe2\x81[\x9f-\xaf]|\xd8\x9c|\xe1(?:\x9a\x80|\xa0\x8e)|\xe3\x80\x80|\xef\xbb\xbf|<\/?[wW]?[bB][rR](?![a-zA-Z])[^<>]{0,100}>/g

/** A break may itself contain breaks: a tag may span two lines or contain another tag. */
export const unbroken: Decoding = (text) => {
  let joined = replaced(text, BREAKS, '')
  for (let left = 3; joined && left > 0; left--) {
    const more = replaced(joined, BREAKS, '')
    if (!more) break
    joined = more
  }
  return joined
}

/** Whether there may be breaks other than white space and control characters. */
export function hasLongBreaks(bytes: string): boolean {
  if (bytes.includes('\x1b') || (bytes.includes('<') && TAG.test(bytes))) return true
  return !isAscii(bytes) && LONG_BREAK.test(bytes)
}

/** `<wbr>` or `<br>`, which may itself be broken. */
const TAG = /<[^!-~]*(?:\/[^!-~]*)?(?:w[^!-~]*)?b[^!-~]*r/i
/** A break of several bytes, which may have white space between them. */
const LONG_BREAK =
  /\xc2[\0-\x20\x7f]*[\x80-\xa0\xad]|\xe2[\0-\x20\x7f]*[\x80\x81]|\xd8[\0-\x20\x7f]*\x9c|\xe1[\0-\x20\x7f]*[\x9a\xa0]|\xe3[\0-\x20\x7f]*\x80|\xef[\0-\x20\x7f]*\xbb/

/** Whether there may be breaks within the escapes of an encoding, or between the two halves of a character. */
export function hasBrokenEscapes(bytes: string): boolean {
  return BROKEN_ESCAPE.test(bytes)
}

const BREAK = String.raw`(?:[\0-\x20\x7f-\xff]|<[^<>]{0,100}>|\x1b\[[0-9;]*m)`
const BROKEN_ESCAPE = new RegExp(
  [
    `%(?:[0-9a-f]?|u[0-9a-f]{0,3})${BREAK}+[0-9a-fu]`,
    String.raw`\\(?:u\{?[0-9a-f]{0,6}|x[0-9a-f]?)?${BREAK}`,
    `&(?![#a-z0-9]{1,30};)(?:[#a-z0-9]|${BREAK}){2,200};`,
  ].join('|'),
  'i',
)

/** Escapes in JSON, programming languages, Markdown and shells: `\"`, `\n`, `\u002B`, `\u{2b}`, `\x2b`, `\_`. */
export const unescaped: Decoding = (text) => withoutEscapes(text, '\\', readEscape)

/** Only the escapes in JSON. Other escapes stay, because text that looks like JSON may not be JSON. */
export const jsonUnescaped: Decoding = (text) => withoutEscapes(text, '\\', readJsonEscape)

function readJsonEscape(bytes: string, at: number): Escape | undefined {
  const code = bytes.charCodeAt(at + 1)
  return JSON_ESCAPES[code] ?? (code === 0x75 ? readEscape(bytes, at) : undefined)
}

function readEscape(bytes: string, at: number): Escape | undefined {
  const short = SHORT_ESCAPES[bytes.charCodeAt(at + 1)]
  if (short) return short
  NUMBER.lastIndex = at + 1
  const { 0: found, groups } = NUMBER.exec(bytes) ?? {}
  if (found === undefined) return undefined
  const { first, second, code = first } = groups ?? {}
  const units = [first, second].flatMap((unit) => (unit === undefined ? [] : [Number.parseInt(unit, 16)]))
  const read = first === undefined ? character(Number.parseInt(code ?? '', 16)) : utf8(String.fromCharCode(...units))
  return read === undefined ? undefined : { length: found.length + 1, bytes: read }
}

/**
 * Removes the backslashes from each run of letters in which a backslash precedes every letter. In such a run
 * backslashes mean nothing, and `\t` is a `t`. Three letters make a run: a secret has at least six UTF-16 units, and a
 * character has at most two.
 */
export const runsUnescaped: Decoding = (text) => {
  if (!hasEscapedRuns(text.bytes)) return undefined
  const places = new Set<number>()
  for (const { 0: run, index } of text.bytes.matchAll(RUN))
    for (const { index: within } of run.matchAll(PAIR)) places.add(index + within)
  const read = (bytes: string, at: number) => (places.has(at) ? ITSELF[bytes.charCodeAt(at + 1)] : undefined)
  return withoutEscapes(text, '\\', read)
}

/** Whether there may be such a run. JSON within JSON has many backslashes, but only in the escapes of JSON. */
export function hasEscapedRuns(bytes: string): boolean {
  return FOREIGN.test(bytes) && bytes.search(RUN) >= 0
}

const FOREIGN = /\\[^"\\/bfnrtu]/
const PAIR = /\\[\0-\xff]/g
/** A pair is a backslash and a character. There is no letter between two pairs, except in a break. */
const RUN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal colour begins with a control character
  /\\[\0-\xff](?:(?:[\0-@[\]-`{-\xff]|<\/?[wW]?[bB][rR](?![a-zA-Z])[^<>]{0,100}>|\x1b\[[0-9;]*m){0,64}\\[\0-\xff]){2,}/g
const ITSELF: readonly Escape[] = Array.from({ length: 256 }, (_, byte) => ({
  length: 2,
  bytes: String.fromCharCode(byte),
}))

/**
 * The alternatives are tried in this order. A whole surrogate pair comes first, because the next alternative also
 * matches half of a pair, which may occur alone.
 */
const NUMBER =
  /u(?<first>d[89ab][0-9a-f]{2})\\u(?<second>d[c-f][0-9a-f]{2})|u(?<first>[0-9a-f]{4})|(?:u\{(?<code>[0-9a-f]{1,6})\}|x(?<code>[0-9a-f]{2}))/iy

/** By the code of the character after the backslash: a letter stands for a control character, a symbol for itself. */
const SHORT_ESCAPES: readonly (Escape | undefined)[] = Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code)
  const letter = 'btnvfr0'.indexOf(sign)
  if (letter >= 0) return { length: 2, bytes: '\b\t\n\v\f\r\0'.charAt(letter) }
  return /[!-/:-@[-`{-~ \n]/.test(sign) ? { length: 2, bytes: sign } : undefined
})

const JSON_ESCAPES = SHORT_ESCAPES.map((short, code) =>
  '"\\/bfnrt'.includes(String.fromCharCode(code)) ? short : undefined,
)

/** Percent-encoding, including JavaScript's old `escape`: `%2B`, `%u002B`. */
export const percentDecoded: Decoding = (text) => withoutEscapes(text, '%', readPercent)

function readPercent(bytes: string, at: number): Escape | undefined {
  const high = HEX[bytes.charCodeAt(at + 1)] ?? -1
  const low = HEX[bytes.charCodeAt(at + 2)] ?? -1
  if (high >= 0 && low >= 0) return PERCENT[16 * high + low]
  if ((bytes.charCodeAt(at + 1) | 0x20) !== 0x75) return undefined
  const digits = bytes.slice(at + 2, at + 6)
  return /^[0-9a-f]{4}$/i.test(digits)
    ? { length: 6, bytes: utf8(String.fromCharCode(Number.parseInt(digits, 16))) }
    : undefined
}

const HEX = Int8Array.from({ length: 256 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
)
const PERCENT: readonly Escape[] = Array.from({ length: 256 }, (_, byte) => ({
  length: 3,
  bytes: String.fromCharCode(byte),
}))

/** Percent-encoding in forms, where a plus is a space. */
export const formDecoded: Decoding = (text) => {
  const spaced = text.bytes.includes('+') ? replaced(text, /\+/g, ' ') : undefined
  return spaced && (percentDecoded(spaced) ?? spaced)
}

/** HTML entities, by name or number, even without a semicolon. */
export const entitiesDecoded: Decoding = (text) => withoutEscapes(text, '&', readEntity)

const ENTITY = /#x(?<hex>[0-9a-f]+);?|#(?<decimal>[0-9]+);?|(?<name>[a-z][a-z0-9]{1,24})(?<end>;?)/iy

function readEntity(bytes: string, at: number): Escape | undefined {
  ENTITY.lastIndex = at + 1
  const { 0: found = '', groups } = ENTITY.exec(bytes) ?? {}
  const { hex, decimal, name = '', end = '' } = groups ?? {}
  const code = hex !== undefined ? Number.parseInt(hex, 16) : decimal !== undefined ? Number(decimal) : htmlEntity(name)
  const read = code === undefined ? undefined : character(code)
  if (read !== undefined) return { length: found.length + 1, bytes: read }
  if (end === ';') return undefined
  // Without a semicolon, the following text may look like a part of the name.
  for (let length = name.length - 1; length > 1; length--) {
    const shorter = htmlEntity(name.slice(0, length))
    if (shorter !== undefined) return { length: length + 1, bytes: character(shorter) ?? '' }
  }
  return undefined
}

/** The bytes of a character; undefined if there is none with this number. */
function character(code: number): string | undefined {
  return code <= 0x10ffff ? utf8(String.fromCodePoint(code)) : undefined
}

/** Half of a surrogate pair becomes U+FFFD, as everywhere. */
function utf8(text: string): string {
  return text <= '\x7f' && text.length === 1 ? text : Buffer.from(text).toString('latin1')
}

/**
 * Decodes base64 and base64url. Both may begin at any character of a run, because words run together in text without
 * white space. Each run has four readings, one for each position modulo four. This returns the parts of the readings
 * that are text. Three of the four readings nearly always have no such part.
 */
export function base64Decoded(text: ByteText, reading: TextReading): ByteText | undefined {
  const parts: Base64Part[] = []
  let next = 0
  for (const { 0: run, index } of text.bytes.matchAll(/[A-Za-z0-9+/_-]{7,}/g)) {
    if (run.length * 6 < reading.least * 8) continue
    for (const phase of [0, 1, 2, 3]) {
      const decoded = Buffer.from(run.slice(phase), 'base64').toString('latin1')
      for (const { from, to } of textParts(decoded, reading)) {
        parts.push({ bytes: decoded.slice(from, to), at: next, run: index + phase, from })
        next += to - from + BETWEEN.length
      }
    }
  }
  if (parts.length === 0) return undefined
  return made(parts.map(({ bytes }) => bytes).join(BETWEEN), () => originOfBase64(parts), text)
}

/**
 * This sequence never occurs in a text, so no secret is found across two parts. If a part ends within a tag, this
 * sequence also ends the tag.
 */
const BETWEEN = '\xff<\xff'

interface Base64Part {
  readonly bytes: string
  /** The position of the part among the decoded bytes. */
  readonly at: number
  /** Where its reading begins in the text. */
  readonly run: number
  /** How many bytes of the reading precede the part. */
  readonly from: number
}

function originOfBase64(parts: readonly Base64Part[]) {
  return (byte: number) => {
    let low = 0
    for (let high = parts.length - 1; low < high; ) {
      const middle = Math.ceil((low + high) / 2)
      if ((parts[middle]?.at ?? 0) <= byte) low = middle
      else high = middle - 1
    }
    const { at = 0, run = 0, from = 0 } = parts[low] ?? {}
    const bit = 8 * (byte - at + from)
    return { from: run + Math.floor(bit / 6), to: run + Math.floor((bit + 7) / 6) + 1 }
  }
}
