import { domainToASCII, domainToUnicode } from 'node:url'
import { isAscii } from '../core/byte-text.ts'
import { canonicalIp } from './canonical-ip.ts'
import type { Signal } from './enumerations.ts'
import { composedText, INVISIBLE, trimmedText, visibleText } from './visible-text.ts'

/**
 * A key in the form that is used for lookups and hashes; undefined if the field is not a key (decision 155).
 * `normaliseSql` does the same for millions of keys.
 *
 * EMAIL, IP, ADDRESS and device ids may also be 64 hex digits: the SHA-256 of the normalised key, in lower case.
 */
export function normaliseKey(signal: Signal, field: string): string | undefined {
  const text = trimmedText(field)
  switch (signal) {
    case 'BGID':
    case 'RECORD_ID':
    case 'PARTNER_RECORD_ID':
      return text === '' || field.includes('\0') ? undefined : visibleText(field)
    case 'ZIPCODE':
      return /^([0-9]{5})(?:-?[0-9]{4})?$/.exec(text)?.[1]
    case 'EMAIL':
      return hashOf(text) ?? emailKey(text)
    case 'IDFA':
    case 'AAID':
    case 'STBID':
      return hashOf(text) ?? deviceId(text)
    case 'IP':
      return hashOf(text) ?? canonicalIp(lower(text))
    case 'ADDRESS':
      return hashOf(text) ?? addressKey(field)
  }
}

/**
 * Characters that never occur in any part of an address: invisible characters, white space and punctuation beyond
 * ASCII, and the replacement for a broken character.
 */
const NOT_ASCII_BAD = String.raw`\u0080-\u00b6\u00b8-\u00bf${INVISIBLE}\u1680\u2000-\u206f\u2800\u2e00-\u2e7f\u3000-\u3003\u3008-\u301f\ufe30-\ufe6f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\ufff0-\uffff`
const NOT_ASCII = String.raw`\u0080-\u{10ffff}`

/**
 * An address with nothing around it: no `smtp:` before it, no brackets or quotes around it, and no dot at its end. The
 * pattern accepts more than RFC 5322 where real mailboxes need it: a local part may have several dots in a row, and may
 * end with a dot. The domain has a dot, because nobody has a mailbox at a top-level domain (RFC 7085), and an address
 * without a dot has often been cut off.
 */
const EMAIL = emailPattern(NOT_ASCII_BAD)
/** Matches addresses that consist only of ASCII characters. Most addresses do. */
export const ASCII_EMAIL = emailPattern(NOT_ASCII)

function emailPattern(bad: string): RegExp {
  // ASCII characters that a local part cannot have without quotes (RFC 5322, 3.2.3). Dots are checked separately.
  const notInLocal = String.raw`\u0000-\u0020"(),:;<>@\[-\]\u007f${bad}`
  // A local part cannot begin with a quote either: O'Brien is a name, but 'ann@example.com' is in quotes.
  const local = `[^${notInLocal}.'\`][^${notInLocal}]*`
  const letter = String.raw`[^\u0000-\u002f:-@\[-\u0060{-\u007f${bad}]`
  const inner = String.raw`[^\u0000-,./:-@\[-\u005e\u0060{-\u007f${bad}]*`
  const label = `${letter}(?:${inner}${letter})?`
  return new RegExp(String.raw`^${local}@${label}(?:\.${label})+$`, 'u')
}

/**
 * A symbol, or a number inside a symbol, such as a tick, an arrow or ①. It is a mark beside an address, and no mailbox
 * contains one. Two kinds of dot are allowed within words.
 */
const MARK =
  /[[\p{S}\p{P}\p{No}\p{Nl}\p{Me}]--[\p{ASCII}\u00b7\u3007\u30fb]]|(?<![\p{L}\p{N}])[\u00b7\u30fb]|[\u00b7\u30fb](?![\p{L}\p{N}])/v

export const HASH = /^[0-9A-Fa-f]{64}$/
/** White space, control characters and ASCII punctuation. */
export const ADDRESS_GAPS = /[\p{Cc} -/:-@[-`{-~\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/u

export const ALL_ADDRESS_GAPS = new RegExp(ADDRESS_GAPS, 'gu')

function hashOf(text: string): string | undefined {
  return HASH.test(text) ? lower(text) : undefined
}

/** The key of an email address. The text must have no white space around it. */
export function emailKey(text: string): string | undefined {
  const composed = composedText(text)
  if (!EMAIL.test(composed) || MARK.test(composed)) return undefined
  const folded = isAscii(composed) ? lower(composed) : loweredText(composed)
  const at = folded.indexOf('@')
  const domain = folded.slice(at + 1)
  const inDns = isAscii(domain) && !domain.includes('xn--') ? domain : dnsDomain(domain)
  // An ASCII domain that UTS 46 does not accept stays as it is.
  const known = inDns ?? (isAscii(domain) ? domain : undefined)
  const key = `${folded.slice(0, at)}@${known}`
  // A letter can be folded to one with a mark: ŀ becomes l·.
  return known !== undefined && EMAIL.test(key) && !MARK.test(key) ? key : undefined
}

function deviceId(text: string): string | undefined {
  const digits = lower(text.replaceAll('-', ''))
  if (!/^[0-9a-f]{32}$/.test(digits) || /^0+$/.test(digits)) return undefined
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** The key of a postal address. */
export function addressKey(field: string): string | undefined {
  const visible = visibleText(field)
  const text = isAscii(visible) ? visible.toUpperCase() : upperedText(visible)
  const key = text.replace(ALL_ADDRESS_GAPS, ' ').replace(/^ | $/g, '')
  return key === '' ? undefined : (hashOf(key) ?? key)
}

function lower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** The functions that `normaliseSql` calls, by their SQL names. `sqlTextFunctions` adds them to DuckDB. */
export const KEY_FUNCTIONS: Readonly<Record<string, (text: string) => string | undefined>> = {
  email_key: emailKey,
  address_key: addressKey,
  readable_email: readableEmail,
  visible_text: visibleText,
}

// Keys with characters beyond ASCII are folded here (decision 155). SQL calls these functions for the few keys that need
// them, so that there is one set of rules.

/**
 * Text in lower case, with letters and digits in their usual width (NFKC). A final sigma becomes a sigma, and the dot
 * that İ leaves on its i is removed, because in capitals the two forms look the same. ß does not become ss, and ı does
 * not become i, because those would be other mailboxes.
 */
export function loweredText(text: string): string {
  const lower = text.normalize('NFKC').toLowerCase().replaceAll('\u03c2', '\u03c3').replaceAll('i\u0307', 'i')
  return lower.normalize('NFKC')
}

/**
 * Text in upper case, with letters and digits in their usual width: Straße becomes STRASSE, and each of i, ı and İ
 * becomes I.
 */
export function upperedText(text: string): string {
  const upper = text.normalize('NFKC').toUpperCase().normalize('NFKC')
  return upper.replaceAll('\u0130', 'I').normalize('NFKC')
}

/** A domain in its DNS form (`xn--bcher-kva.de` for `bücher.de`); undefined if UTS 46 has no such domain. */
function dnsDomain(domain: string): string | undefined {
  return domainToASCII(domain) || undefined
}

/** An address in lower case as people write it: `ann@bücher.de` for `ann@xn--bcher-kva.de`. Both are hashed. */
export function readableEmail(key: string): string {
  const [local = '', domain = ''] = key.split('@')
  return `${local}@${domainToUnicode(domain) || domain}`
}
