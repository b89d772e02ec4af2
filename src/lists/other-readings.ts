import { type FileSignal, ID_SIGNALS } from '../contract/enumerations.ts'
import { emailKey, readableEmail } from '../contract/normalise-key.ts'
import { patternSql } from '../contract/normalise-sql.ts'

// A symbol, a number or a word that somebody wrote before or after a key can be part of another key: `*ann@example.com`
// is a mailbox, too (RFC 5322). There is no way to tell, so such a key is also read without the mark.

/** The marks before an address: symbols, a number and symbols, or a word and a symbol that few mailboxes have. */
const BEFORE_ADDRESS =
  /^(?:[^\p{L}\p{N}@]+|\p{N}+[^\p{L}\p{N}@]+|[\p{L}\p{N}_-]+[!#$%&*/=?^`{|}~][^\p{L}\p{N}@]*)(?=[\p{L}\p{N}])/u
/** The marks after an address. No top-level domain has a digit, `-` or `_`, unless it begins with `xn--`. */
const BEHIND_ADDRESS = /(\.(?!xn--)\p{L}{2,})(?:[-_0-9\u00b7\u30fb][^.@]*|(?:\.[0-9]+)+)$/u
const AROUND_ID = /^\p{N}+[.):]\s+[^\p{L}\p{N}]*|^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu

/**
 * An address that may have a mark. Most keys have none, and are ASCII. The pattern has no Unicode classes, because
 * compiling them would take longer than making most lists.
 */
const MARKED_ADDRESS = /^[^a-z0-9]|^[0-9]+[^a-z0-9@]|^[a-z0-9_-]+[!#$%&*/=?^`{|}~]|\.[^.@]*[-_0-9][^.@]*$/
/**
 * An address without a mark: it begins with a letter, contains no symbol that can end a mark, and its top-level domain
 * has only letters.
 */
export const PLAIN_ADDRESS = /[a-z][a-z0-9._+-]*@[a-z0-9.-]+\.[a-z]+/
const MARKED_ID = /^[^A-Za-z0-9]|[^A-Za-z0-9]$|^[0-9]+[.):]\s|@/
/** A word that begins all addresses of a file but does not belong to them, such as `crm_`. */
const WORD = /^[A-Za-z\u0080-\u{10ffff}][0-9A-Za-z\u0080-\u{10ffff}]*[._+-]/u

/** The functions that `readingsSql` calls; each returns its readings as the lines of one text. */
export const READING_FUNCTIONS: Readonly<Record<string, (key: string) => string>> = {
  email_readings: (key) => addressReadings(key).join('\n'),
  id_readings: (key) => idReadings(key).join('\n'),
}

/** The other addresses that a key may mean once its marks are removed. */
export function addressReadings(key: string): readonly string[] {
  const readings = new Set<string>()
  for (let text = withoutEnd(key); !readings.has(text); text = text.replace(BEFORE_ADDRESS, '')) readings.add(text)
  readings.delete(key)
  return [...readings]
}

function withoutEnd(key: string): string {
  const readable = readableEmail(key)
  const bare = readable.replace(BEHIND_ADDRESS, '$1')
  return bare === readable ? key : (emailKey(bare) ?? bare)
}

/** The other ids that an id may mean without its marks. An id that contains an address is also read as that address. */
export function idReadings(id: string): readonly string[] {
  const bare = id.replace(AROUND_ID, '')
  const readings = [bare, ...(id.includes('@') ? [...addressReadings(id), ...addressReadings(bare)] : [])]
  return [...new Set(readings)].filter((one) => one !== id && one !== '')
}

export function hasReadings(signal: FileSignal): boolean {
  return signal === 'EMAIL' || isId(signal)
}

function isId(signal: FileSignal): boolean {
  return ID_SIGNALS.some((id) => id === signal)
}

/**
 * SQL for a relation (source, key) with the other readings of the keys in the relation `from` (source, key), for
 * signals that have readings. `shared`: a relation (word); the keys are also read without that word.
 */
export function readingsSql(signal: FileSignal, from: string, shared = sharedWordSql(signal, from)): string {
  const [marked, name] = isId(signal) ? [MARKED_ID, 'id_readings'] : [MARKED_ADDRESS, 'email_readings']
  const mayBeMarked = `(strlen(key) <> length(key) OR regexp_matches(key, ${patternSql(marked)}))`
  // The pattern that most addresses match is tried first. It is anchored at both ends, so it takes less than half the
  // time.
  const isMarked = isId(signal)
    ? mayBeMarked
    : `CASE WHEN regexp_full_match(key, ${patternSql(PLAIN_ADDRESS)}) THEN false ELSE ${mayBeMarked} END`
  return `(SELECT source, key FROM (
    SELECT source, unnest(string_split(${name}(key), chr(10))) AS key FROM ${from} WHERE ${isMarked}
    UNION ALL SELECT source, substr(key, length(word) + 1) FROM ${from}, ${shared} WHERE contains(key, '@')) WHERE key <> '')`
}

/** SQL for the relation (word, first, last): the word that begins all addresses of a relation (source, key), if any. */
export function sharedWordSql(signal: FileSignal, from: string): string {
  const word = (key: string) => `regexp_extract(${key}, ${patternSql(WORD)})`
  // If two keys begin with a word, so do all keys between them. A file rarely has only one id with an address in it.
  const isShared = `word <> '' AND word = ${word('last')} ${isId(signal) ? '' : 'AND first <> last'}`
  return `(SELECT ${word('first')} AS word, first, last
    FROM (SELECT min(key) AS first, max(key) AS last FROM ${from} WHERE contains(key, '@')) WHERE ${isShared})`
}
