import { createHash } from 'node:crypto'
import type { Signal } from '../../contract/enumerations.ts'
import { literal } from '../../platform/sql-text.ts'

/** The parameters of the synthetic people. These two and `i` determine everything about person `i`. */
export interface People {
  readonly people: number
  readonly seed: number
}

/** A prime above every index, so that multiplication modulo this prime only reorders the indices. */
const PRIME = 33_554_393
/** At this index and above, the keys of earlier indices would repeat. */
export const INDEX_LIMIT = PRIME

/** The words of e-mail addresses and streets. No word is in both lists. */
const ADJECTIVES = wordsIn(`
  amber azure brisk calm clear coral crisp dusty eager early fair gentle golden green happy hazel
  ivory jolly keen light lucky mellow misty noble olive plain quick quiet royal rusty sunny vivid`)
const NOUNS = wordsIn(`
  acorn badger beacon birch brook canyon cedar comet creek falcon fern finch fox garden grove harbor
  heron hill island lake maple meadow otter pebble pine raven reef ridge river robin spruce willow`)
const STREET_KINDS = ['street', 'avenue', 'lane', 'road']

/**
 * The periods of IP addresses, as [from, to) in days. At the start of each period, the addresses move to other
 * households. The last period has no end.
 */
const IP_PERIODS = [
  ['2024-01-01', '2025-01-01'],
  ['2025-01-01', '2025-10-01'],
  ['2025-10-01', '2026-07-01'],
  ['2026-07-01', '9999-12-31'],
] as const

/**
 * A relation with the normalised keys of the people from index `from` (inclusive) to `to` (exclusive). Its columns are
 * i and key. For IP, there are also from_day and to_day. Indices at or above `people` do not stand for a person. Their
 * keys are well-formed but belong to no one. Uses only integer arithmetic and MD5, so that every machine and every
 * version of DuckDB makes the same people.
 */
export function keyRelation(signal: Signal, who: People, owner: number, from: number, to: number): string {
  const range = `(SELECT range AS i, range // 2 AS h FROM range(${from}, ${to}))`
  const select = (key: string, where = 'true') => `SELECT i, ${key} AS key FROM ${range} WHERE ${where}`
  const some = (percent: number, salt: string) => `${scrambled('i', who, salt)} % 100 < ${percent}`
  switch (signal) {
    case 'BGID':
      return select(bgidOf(who))
    case 'EMAIL':
      return `${select(email(who, 'email', [ADJECTIVES, NOUNS], ['example.com', 'example.net']))} UNION ALL ${select(
        email(who, 'second email', [NOUNS, ADJECTIVES], ['example.org']),
        some(30, 'has second email'),
      )}`
    case 'IDFA':
      return select(uuid('i', who, 'idfa'), some(48, 'has idfa'))
    case 'AAID':
      return select(uuid('i', who, 'aaid'), some(52, 'has aaid'))
    case 'STBID':
      return select(uuid('h', who, 'stbid'), `${scrambled('h', who, 'has stbid')} % 100 < 60`)
    case 'PARTNER_RECORD_ID':
      return select(`printf('P${owner}-%09d', ${scrambled('i', who, `partner ${owner}`)})`)
    case 'RECORD_ID':
      return select(`printf('R%09d', ${scrambled('i', who, 'record')})`)
    case 'ADDRESS':
      return select(address(who))
    case 'ZIPCODE':
      return select(zip(who))
    case 'IP':
      return ipRelation(who, range)
  }
}

/** SQL for the BGID of person `i`. It has twelve characters, which DuckDB stores inline. */
export function bgidOf({ seed }: People): string {
  return `printf('BG%010X', (i * 2654435761 + ${saltNumber(seed, 'bgid', 2 ** 40)}) % 1099511627776)`
}

/** SQL for hexadecimal digits that depend only on the seed, a purpose and person `i`. */
export function hexOf({ seed }: People, purpose: string, index = 'i'): string {
  return `md5(concat(${literal(`${seed}:${purpose}:`)}, ${index}))`
}

function scrambled(index: string, { seed }: People, salt: string): string {
  const factor = 1 + saltNumber(seed, `${salt} factor`, PRIME - 1)
  return `((${index} * ${factor} + ${saltNumber(seed, `${salt} offset`, PRIME)}) % ${PRIME})`
}

function saltNumber(seed: number, salt: string, below: number): number {
  const digest = createHash('sha256').update(`${seed}:${salt}`).digest()
  return Number(digest.readBigUInt64BE() % BigInt(below))
}

type Words = readonly string[]

function wordsIn(text: string): Words {
  return text.trim().split(/\s+/)
}

function word(words: Words, index: string): string {
  return `[${words.map(literal).join(',')}][1 + (${index}) % ${words.length}]`
}

/** SQL for an e-mail address. The number makes it unique; second addresses have the words in the other order. */
function email(who: People, salt: string, [first, second]: readonly [Words, Words], domains: Words): string {
  const number = scrambled('i', who, salt)
  return `concat(${word(first, number)}, '.', ${word(second, `${number} // 32`)}, ${number}, '@', ${word(domains, `${number} // 7`)})`
}

function uuid(index: string, who: People, purpose: string): string {
  return `regexp_replace(${hexOf(who, purpose, index)}, '^(.{8})(.{4})(.{4})(.{4})(.{12})$', '\\1-\\2-\\3-\\4-\\5')`
}

/**
 * SQL for an address. The house number, two words and the kind of street are digits of one number, so no two households
 * share an address.
 */
function address(who: People): string {
  const number = scrambled('h', who, 'address')
  const digit = (words: Words, divisor: number) => `upper(${word(words, `${number} // ${divisor}`)})`
  const street = [digit(ADJECTIVES, 9973), digit(NOUNS, 9973 * 32), digit(STREET_KINDS, 9973 * 32 * 32)]
  return `concat_ws(' ', 1 + ${number} % 9973, ${street.join(', ')}, ${zip(who)})`
}

function zip(who: People): string {
  return `(CASE WHEN i < ${who.people} THEN 10000 ELSE 90000 END + ${scrambled('h', who, 'zip')} % 900)::VARCHAR`
}

/**
 * The addresses are private IPv4 addresses, and IPv6 addresses that are reserved for documentation. In each period, a
 * household has an address that another household had before.
 */
function ipRelation(who: People, range: string): string {
  const households = Math.ceil(who.people / 2)
  const step = 1 + Math.floor(households / 7)
  const periods = IP_PERIODS.map(([from, to], index) => `(${index}, DATE '${from}', DATE '${to}')`)
  const slot = `CASE WHEN i < ${who.people} THEN (h + period * ${step}) % ${households} ELSE h + 1 END`
  const v4 = `concat('10.', slot // 65536, '.', slot // 256 % 256, '.', slot % 256)`
  const v6 = `printf('2001:db8:%x:%x::1', 1 + slot // 65535, 1 + slot % 65535)`
  return `SELECT i, CASE WHEN slot % 5 = 0 THEN ${v6} ELSE ${v4} END AS key, from_day, to_day FROM (
    SELECT i, ${slot} AS slot, from_day, to_day
    FROM ${range}, (VALUES ${periods.join(', ')}) AS periods(period, from_day, to_day))`
}
