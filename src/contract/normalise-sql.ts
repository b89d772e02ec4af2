import { literal } from '../platform/sql-text.ts'
import { IPV4, zeroRun } from './canonical-ip.ts'
import type { Signal } from './enumerations.ts'
import { ADDRESS_GAPS, ASCII_EMAIL, HASH } from './normalise-key.ts'
import { ASCII_WHITE_SPACE, WHITE_SPACE } from './visible-text.ts'

/**
 * SQL for the relation `from` (field, …) with a column `key`. The key is the result of `normaliseKey` for the field, or
 * NULL if the field is not a key. This is for sets of millions of keys; a property test checks that both functions
 * agree. DuckDB must have the KEY_FUNCTIONS.
 */
export function normaliseSql(signal: Signal, from: string): string {
  const select = (key: string) =>
    `SELECT * EXCLUDE (text), ${key} AS key FROM (SELECT *, ${trimmedSql('field')} AS text FROM ${from})`
  switch (signal) {
    case 'BGID':
    case 'RECORD_ID':
    case 'PARTNER_RECORD_ID':
      return select(`CASE WHEN text <> '' AND NOT contains(field, chr(0)) THEN ${visibleSql('field')} END`)
    case 'ZIPCODE':
      return select(`CASE WHEN ${matches('text', '[0-9]{5}(?:-?[0-9]{4})?')} THEN substr(text, 1, 5) END`)
    case 'EMAIL':
      return emailRelation(from)
    case 'IDFA':
    case 'AAID':
    case 'STBID':
      return select(deviceId)
    case 'ADDRESS':
      return select(address)
    case 'IP':
      return ipRelation(`(SELECT *, lower(${trimmedSql('field')}) AS text FROM ${from})`)
  }
}

/** SQL for `trimmedText`. Invisible characters are never ASCII, so most fields need no pattern. */
export function trimmedSql(field: string): string {
  return `CASE WHEN ${isAscii(field)} OR ${field} IS NULL THEN trim(${field}, ${literal(ASCII_WHITE_SPACE)})
    ELSE trim(${withoutInvisible(field)}, ${literal(WHITE_SPACE)}) END`
}

/**
 * SQL for `composedText`. DuckDB's function stops at a NUL, so each NUL is replaced with a blank first. That does no
 * harm, because a blank in an address only separates words, or is removed.
 */
export function composedSql(text: string): string {
  return `CASE WHEN ${isAscii(text)} THEN ${text} ELSE nfc_normalize(replace(${text}, chr(0), ' ')) END`
}

/** SQL for `visibleText`. */
function visibleSql(field: string): string {
  return `CASE WHEN ${isAscii(field)} THEN ${field} ELSE ${withoutInvisible(field)} END`
}

/** This does not use a pattern, because compiling one in each statement would take longer than making most lists. */
function withoutInvisible(field: string): string {
  return `visible_text(${field})`
}

/** Whether every character is one byte. */
function isAscii(field: string): string {
  return `strlen(${field}) = length(${field})`
}

/**
 * SQL that tests whether a normalised key is already a SHA-256, for signals that accept one. With AND instead of CASE,
 * the pattern would be tested on all keys.
 */
export function isHash(key: string): string {
  return `CASE WHEN strlen(${key}) = 64 THEN ${matches(key, HASH)} ELSE false END`
}

/** SQL for the SHA-256 of a normalised key, for signals that accept a SHA-256. The key may already be one. */
export function hashSql(key: string): string {
  return `CASE WHEN ${isHash(key)} THEN ${key} ELSE sha256(${key}) END`
}

function matches(text: string, pattern: RegExp | string): string {
  const source = typeof pattern === 'string' ? pattern : pattern.source.replace(/^\^|\$$/g, '')
  return `regexp_full_match(${text}, ${literal(forRe2(source))})`
}

/**
 * A pattern as an SQL literal. The bundle writes characters beyond ASCII as `\uff20`, even in the source of a pattern,
 * and DuckDB's patterns do not know that escape.
 */
export function patternSql(pattern: RegExp): string {
  return literal(forRe2(pattern.source))
}

function forRe2(source: string): string {
  return source.replace(/\\u\{?([0-9a-f]{4,6})\}?/g, '\\x{$1}')
}

/** Most fields are addresses in ASCII, which need only the pattern. The others need a JavaScript function. */
function emailRelation(from: string): string {
  const isPlain = `${isAscii('text')} AND NOT contains(text, 'xn--')`
  return `SELECT * EXCLUDE (fits, text), CASE WHEN fits AND NOT contains(text, 'xn--') THEN text
      WHEN ${isPlain} THEN CASE WHEN ${matches('text', ASCII_EMAIL)} OR ${isHash('text')} THEN text END
      WHEN contains(text, '@') THEN email_key(text) END AS key
    FROM (SELECT * EXCLUDE (trimmed), CASE WHEN fits OR ${isAscii('trimmed')} THEN lower(trimmed) ELSE trimmed END AS text
    FROM (SELECT *, CASE WHEN fits THEN field ELSE ${trimmedSql('field')} END AS trimmed
    FROM (SELECT *, ${matches('field', ASCII_EMAIL)} AS fits FROM ${from})))`
}

const digits = `lower(replace(text, '-', ''))`
const deviceId = `CASE WHEN ${isHash('text')} THEN lower(text)
    WHEN ${matches(digits, '[0-9a-f]{32}')} AND NOT ${matches(digits, '0+')}
    THEN regexp_replace(${digits}, '^(.{8})(.{4})(.{4})(.{4})(.{12})$', '\\1-\\2-\\3-\\4-\\5') END`

const address = `CASE WHEN ${isHash('text')} THEN lower(text) WHEN NOT ${isAscii('field')} OR (strlen(field) > 64 AND regexp_matches(field, '[0-9A-Fa-f]{64}')) THEN address_key(field)
    ELSE upper(nullif(trim(regexp_replace(field, ${patternSql(ADDRESS_GAPS)}, ' ', 'g'), ' '), '')) END`

/** The steps of `canonicalIp`, each a projection of the previous one. IPv4 skips them all. */
function ipRelation(from: string): string {
  const tail = `':([0-9.]+)$'`
  const octet = (index: number) => `split_part(tail, '.', ${index})::INTEGER`
  const tailGroups = `printf('%x:%x', ${octet(1)} * 256 + ${octet(2)}, ${octet(3)} * 256 + ${octet(4)})`
  const list = (half: string) => `CASE WHEN ${half} = '' THEN []::VARCHAR[] ELSE string_split(${half}, ':') END`
  const filled = `list_concat(list_concat(left_groups,
    list_resize([]::VARCHAR[], greatest(1, 8 - len(left_groups) - len(right_groups)), '0')), right_groups)`
  const bytes = (index: number) => {
    const group = `('0x' || split_part(joined, ':', ${index}))::INTEGER`
    return `${group} // 256, '.', ${group} % 256`
  }
  const shortened = [8, 7, 6, 5, 4, 3, 2].map((length) => {
    const run = literal(zeroRun(length))
    return `WHEN regexp_matches(joined, ${run}) THEN regexp_replace(joined, ${run}, '::')`
  })
  return `SELECT * EXCLUDE (text, v4, tail, v6, left_groups, right_groups, whole, joined), CASE
      WHEN v4 THEN text
      WHEN ${isHash('text')} THEN text
      WHEN starts_with(joined, '0:0:0:0:0:ffff:') THEN concat(${bytes(7)}, '.', ${bytes(8)})
      ${shortened.join(' ')}
      ELSE joined END AS key
    FROM (SELECT *, CASE WHEN ${matches('whole', '[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){7}')}
        THEN regexp_replace(whole, '(^|:)0+([0-9a-f])', '\\1\\2', 'g') END AS joined
    FROM (SELECT *, array_to_string(CASE WHEN contains(v6, '::') THEN ${filled} ELSE left_groups END, ':') AS whole
    FROM (SELECT *, ${list(`split_part(v6, '::', 1)`)} AS left_groups,
        ${list(`split_part(v6, '::', 2)`)} AS right_groups
    FROM (SELECT *, CASE WHEN len(string_split(text, '::')) > 2 THEN NULL
        WHEN tail IS NOT NULL THEN regexp_replace(text, ${tail}, concat(':', ${tailGroups}))
        WHEN contains(text, ':') THEN text END AS v6
    FROM (SELECT *, CASE WHEN NOT v4 AND ${matches(`regexp_extract(text, ${tail}, 1)`, IPV4)}
        THEN regexp_extract(text, ${tail}, 1) END AS tail
    FROM (SELECT *, ${matches('text', IPV4)} AS v4 FROM ${from}))))))`
}
