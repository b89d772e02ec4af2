import { type ByteText, made, replaced } from './byte-text.ts'
import { htmlEntity } from './html-entities.ts'

/** What a text says if it is read in an encoding; undefined if it then says the same. */
export type Decoding = (text: ByteText) => ByteText | undefined

/**
 * Without what breaks a word when text is wrapped or shown: every white space, control and format character, soft
 * hyphens, the tags `<wbr>` and `<br>`, and colours of a terminal. Without the flag `i`, which would make \xc2 and \xe2 the same.
 */
const BREAKS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
  /\x1b\[[0-9;]*m|\x1b|[\0-\x1a\x1c-\x20\x7f]+|\xc2[\x80-\xa0\xad]|\xe2\x80[\x80-\x8f\xa8-\xaf]|\xe2\x81[\x9f-\xaf]|\xd8\x9c|\xe1(?:\x9a\x80|\xa0\x8e)|\xe3\x80\x80|\xef\xbb\xbf|<\/?[wW]?[bB][rR](?![a-zA-Z])[^<>]{0,100}>/g

/** A break may itself be broken: a tag in two lines. */
export const unbroken: Decoding = (text) => {
  const joined = replaced(text, BREAKS, () => '')
  return joined && (replaced(joined, BREAKS, () => '') ?? joined)
}

/** Escapes of JSON and of programming languages: `\"`, `\n`, `\u002B`, `\u{2b}`, `\x2b`. */
export const unescaped: Decoding = (text) =>
  text.bytes.includes('\\') ? replaced(text, ESCAPE, readEscape) : undefined

const ESCAPE =
  /\\(?:u\{[0-9a-f]{1,6}\}|ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|u[0-9a-f]{4}|x[0-9a-f]{2}|["'`/\\btnvfr0])/gi

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  '0': '\0',
}

function readEscape(found: string): string {
  const units = found.match(/[0-9a-f]{4}(?=\\|$)/gi)
  const sign = found[1] ?? ''
  if (sign === 'u' && units) return utf8(String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16))))
  if (sign === 'u' || sign === 'x') return character(Number.parseInt(found.replace(/^\\[ux]\{?/, ''), 16)) ?? found
  // The pattern takes capitals, which only hexadecimal digits may be.
  return found.length > 2 || /[A-Z]/.test(sign) ? found : (SHORT_ESCAPES[sign] ?? sign)
}

/** Percent-encoding, also that of JavaScript's old `escape`: `%2B`, `%u002B`. */
export const percentDecoded: Decoding = (text) =>
  text.bytes.includes('%')
    ? replaced(text, /%(?:u[0-9a-f]{4}|[0-9a-f]{2})/gi, (found) => {
        const code = Number.parseInt(found.slice(found.length === 6 ? 2 : 1), 16)
        return found.length === 6 ? utf8(String.fromCharCode(code)) : String.fromCharCode(code)
      })
    : undefined

/** The same, and a plus is a space. */
export const formDecoded: Decoding = (text) => {
  if (!text.bytes.includes('+')) return undefined
  const spaced = replaced(text, /\+/g, () => ' ')
  return spaced && (percentDecoded(spaced) ?? spaced)
}

/** Entities of HTML, by name or number, also without a semicolon. */
export const entitiesDecoded: Decoding = (text) =>
  text.bytes.includes('&') ? replaced(text, ENTITY, readEntity) : undefined

const ENTITY = /&(?:#x[0-9a-f]+|#[0-9]+|[a-z][a-z0-9]{1,24});?/gi

function readEntity(found: string): string {
  const name = found.replace(/^&#?|;$/g, '')
  if (found[1] === '#') {
    const code = /^x/i.test(name) ? Number.parseInt(name.slice(1), 16) : Number.parseInt(name, 10)
    return character(code) ?? found
  }
  const code = htmlEntity(name)
  if (code !== undefined || found.endsWith(';')) return (code !== undefined && character(code)) || found
  // Without a semicolon, what follows may look like more of the name.
  for (let end = name.length - 1; end > 1; end--) {
    const shorter = htmlEntity(name.slice(0, end))
    if (shorter !== undefined) return character(shorter) + name.slice(end)
  }
  return found
}

/** The bytes of a character; undefined if there is none with this number. */
function character(code: number): string | undefined {
  return code <= 0x10ffff ? utf8(String.fromCodePoint(code)) : undefined
}

/** Half of a surrogate pair is U+FFFD, as everywhere. */
function utf8(text: string): string {
  return text <= '\x7f' && text.length === 1 ? text : Buffer.from(text).toString('latin1')
}

/**
 * Base64 and base64url that may begin at any character of a run, because text without white space joins words: the four
 * readings of each run, one for each place modulo four. Runs of fewer than `least` characters are left out.
 */
export function base64Decoded(text: ByteText, least: number): ByteText | undefined {
  const parts: Base64Part[] = []
  let next = 0
  for (const { 0: run, index } of text.bytes.matchAll(/[A-Za-z0-9+/_-]{7,}/g)) {
    if (run.length < least) continue
    for (const phase of [0, 1, 2, 3]) {
      const bytes = Buffer.from(run.slice(phase), 'base64').toString('latin1')
      parts.push({ bytes, at: next, source: index + phase })
      next += bytes.length + BETWEEN.length
    }
  }
  if (parts.length === 0) return undefined
  return made(parts.map(({ bytes }) => bytes).join(BETWEEN), () => originOfBase64(parts), text)
}

/** In no text, so no secret is found in two parts; and it ends a tag that one of them begins. */
const BETWEEN = '\xff<\xff'

interface Base64Part {
  readonly bytes: string
  /** Where it stands among the decoded bytes. */
  readonly at: number
  /** Its first character. */
  readonly source: number
}

function originOfBase64(parts: readonly Base64Part[]) {
  return (byte: number) => {
    let low = 0
    for (let high = parts.length - 1; low < high; ) {
      const middle = Math.ceil((low + high) / 2)
      if ((parts[middle]?.at ?? 0) <= byte) low = middle
      else high = middle - 1
    }
    const { at = 0, source = 0 } = parts[low] ?? {}
    const bit = 8 * (byte - at)
    return { from: source + Math.floor(bit / 6), to: source + Math.floor((bit + 7) / 6) + 1 }
  }
}
