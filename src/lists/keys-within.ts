import type { FileSignal } from '../contract/enumerations.ts'
import { patternSql } from '../contract/normalise-sql.ts'
import type { FORMED_SIGNALS } from '../contract/signal-key.ts'

// What a key of each signal looks like within a text.

/**
 * An address anywhere in a text, also in URLs, web pages and JSON. Its @ may be escaped, and may have blanks around it.
 */
export const ADDRESS_IN_TEXT =
  /[^\s@]\s*(?:@|%40|&#64;|&#[xX]40;|&commat;|[\\]u0040|＠|﹫)\s*[^\s@.．。｡%]+(?:[.．。｡]|%2[Ee])[^\s@]/

/** An address in a text, with its @ escaped. */
export const ODD_ADDRESS = new RegExp(ADDRESS_IN_TEXT.source.replace('(?:@|', '(?:'))

/** The addresses in a text, without characters that cannot begin or end one. */
const ADDRESSES = /[^\s<>()[\]{}"`,;:|/=@]+@[^\s<>()[\]{}"`,;:|/=@]*[^\s<>()[\]{}"`,;:|/=@.!?]/
const HASHES = /[0-9A-Fa-f]{64,}/
const DEVICE_IDS = /[0-9A-Fa-f]{8}-?(?:[0-9A-Fa-f]{4}-?){3}[0-9A-Fa-f]{12}/
const IP_ADDRESSES = /[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9A-Fa-f]*:[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*/

/** SQL for the strings within a text that may be keys of a signal, hashes included. */
export function textsWithin(signal: FileSignal, text: string): string {
  const all = (pattern: RegExp, from = text) => `regexp_extract_all(${from}, ${patternSql(pattern)})`
  const hashes = all(HASHES)
  switch (signal) {
    case 'EMAIL':
      return `(${hashes} || ${all(ADDRESSES, `regexp_replace(${text}, '\\s*@\\s*', '@', 'g')`)})`
    case 'IP':
      // A colon before or after an address belongs to the text around it.
      return `(${hashes} || flatten([[one, trim(one, ':.')] for one in ${all(IP_ADDRESSES)}]))`
    case 'IDFA':
    case 'AAID':
    case 'STBID':
      return `(${hashes} || ${all(DEVICE_IDS)})`
    default:
      return hashes
  }
}

/**
 * SQL that tests whether a string may be a key of a signal, or contain one. This is cheaper than normalising millions
 * of strings.
 */
export function likelySql(signal: (typeof FORMED_SIGNALS)[number], text: string): string {
  const isLong = `strlen(${text}) >= 32`
  if (signal === 'EMAIL') return `(contains(${text}, '@') OR ${isLong})`
  if (signal === 'IP') return `(contains(${text}, '.') OR contains(${text}, ':') OR ${isLong})`
  return `(${isLong})`
}
