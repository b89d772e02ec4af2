import { canonicalIp } from './canonical-ip.ts'
import type { Signal } from './enumerations.ts'

/**
 * A key in the form for lookups and hashes; undefined if the field is not a key. `normaliseSql` does the same for
 * millions of keys. Only A–Z change case: the case of other letters depends on the version of Unicode.
 *
 * EMAIL, IP, ADDRESS and device ids may also be 64 hex digits: the SHA-256 of the normalised key, in lower case.
 */
export function normaliseKey(signal: Signal, field: string): string | undefined {
  const text = field.replace(OUTER_BLANKS, '')
  switch (signal) {
    case 'BGID':
    case 'RECORD_ID':
    case 'PARTNER_RECORD_ID':
      return text === '' || field.includes('\0') ? undefined : field
    case 'ZIPCODE':
      return /^([0-9]{5})(?:-?[0-9]{4})?$/.exec(text)?.[1]
    case 'EMAIL':
      return hashOf(text) ?? (EMAIL.test(text) ? lower(text) : undefined)
    case 'IDFA':
    case 'AAID':
    case 'STBID':
      return hashOf(text) ?? deviceId(text)
    case 'IP':
      return hashOf(text) ?? canonicalIp(lower(text))
    case 'ADDRESS':
      return hashOf(text) ?? address(field)
  }
}

/** Characters around a key that do not belong to it: ASCII blanks and the no-break space that spreadsheets leave. */
export const BLANKS = ' \t\n\v\f\r\u00a0'
export const EMAIL = /^[^\p{Cc} ",;<>@\u00a0]+@[^\p{Cc} ",;<>@\u00a0]+$/u
export const HASH = /^[0-9A-Fa-f]{64}$/
/** Control characters, blanks and ASCII punctuation. */
export const ADDRESS_GAPS = /[\p{Cc} -/:-@[-`{-~\u00a0]+/u

export const OUTER_BLANKS = new RegExp(`^[${BLANKS}]+|[${BLANKS}]+$`, 'g')
export const ALL_ADDRESS_GAPS = new RegExp(ADDRESS_GAPS, 'gu')

function hashOf(text: string): string | undefined {
  return HASH.test(text) ? lower(text) : undefined
}

function deviceId(text: string): string | undefined {
  const digits = lower(text.replaceAll('-', ''))
  if (!/^[0-9a-f]{32}$/.test(digits) || /^0+$/.test(digits)) return undefined
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function address(field: string): string | undefined {
  const text = field.replace(ALL_ADDRESS_GAPS, ' ').replace(/^ | $/g, '')
  return text === '' ? undefined : text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())
}

function lower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
