import { type FileSignal, ID_SIGNALS, isHashable } from '../contract/enumerations.ts'
import { composedSql, isHash, normaliseSql, trimmedSql } from '../contract/normalise-sql.ts'
import { FORMED_SIGNALS } from '../contract/signal-key.ts'
import { likelySql, textsWithin } from './keys-within.ts'
import { hasReadings, readingsSql, sharedWordSql } from './other-readings.ts'
import type { Sandbox } from './sandbox.ts'

/** Makes the table for the opted-out keys of a signal. */
export function createOptedSql(signal: FileSignal): string {
  return `CREATE OR REPLACE TEMP TABLE ${optedTable(signal)} (key VARCHAR)`
}

export function optedTable(signal: FileSignal): string {
  return `opted_${signal.toLowerCase()}`
}

/**
 * SQL for the relation (source): the sources in a relation (source, key) whose key is in an opt-out list. A key and its
 * hash identify the same person, whichever of the two is in the opt-out list. An id is the same with and without blanks
 * around it, and with `é` as one character or two. A hash may have been made from an address with a readable domain.
 * `same`: the query for the sources whose key itself is in the list.
 */
export function optedSql(
  signal: FileSignal,
  keys: string,
  same = sameSql(keys, `SELECT key FROM ${optedTable(signal)}`),
): string {
  const opted = optedTable(signal)
  if (!isHashable(signal))
    return `SELECT source FROM ${keys} WHERE ${idSql('key')} IN (SELECT ${idSql('key')} FROM ${opted})`
  const forms = [
    'sha256(key)',
    ...(signal === 'EMAIL' ? [`CASE WHEN ${READABLE.if} THEN sha256(${READABLE.sql}) END`] : []),
  ]
  const hasHashes = `EXISTS (SELECT 1 FROM ${keys} WHERE ${isHash('key')})`
  const hashed = forms.map((form) => `SELECT ${form} FROM ${opted} WHERE NOT ${isHash('key')} AND ${hasHashes}`)
  // Each condition has its own join, because then a key that needs no comparison is not hashed, or even read. CASE
  // keeps DuckDB from guessing that few keys are left.
  const conditions = [
    `CASE WHEN ${isHash('key')} THEN key END IN (${hashed.join(' UNION ALL ')})`,
    ...forms.map((form) => `${form} IN (SELECT key FROM ${opted} WHERE ${isHash('key')})`),
  ]
  return [same, ...conditions.map((condition) => `SELECT source FROM ${keys} WHERE ${condition}`)].join(' UNION ALL ')
}

/**
 * IS TRUE makes DuckDB keep the opted-out keys, which are fewer, in memory. Without it, DuckDB guesses wrong and keeps
 * the other side.
 */
function sameSql(keys: string, opted: string): string {
  return `SELECT source FROM ${keys} WHERE (key IN (${opted})) IS TRUE`
}

/** An address whose domain also has a readable form. */
export const READABLE = { sql: 'readable_email(key)', if: `contains(key, 'xn--')` }

function idSql(key: string): string {
  return composedSql(trimmedSql(key))
}

/**
 * The other signals that keys of the table `found` can belong to: an address in a list of ids is still a person, who
 * may have opted out by e-mail. If the keys of a signal have a recognisable form, its clear keys belong to no other
 * signal. But a hash can be made from anything.
 */
export async function crossingSignals(sandbox: Sandbox, signal: FileSignal): Promise<readonly Crossing[]> {
  // Most of these checks run the same query.
  const isThere = new Map<string, boolean>()
  const crossing: Crossing[] = []
  for (const other of CROSSED.filter((one) => one !== signal)) {
    const keys = keysOf(other, signal)
    if (!isThere.has(keys)) isThere.set(keys, await hasRows(sandbox, keys))
    if (isThere.get(keys)) crossing.push(other)
  }
  return crossing
}

async function hasRows(sandbox: Sandbox, relation: string): Promise<boolean> {
  const [row] = await sandbox.rows(`SELECT count(*) AS n FROM (SELECT 1 FROM ${relation} LIMIT 1)`)
  return Number(row?.n) > 0
}

const DEVICES = ['IDFA', 'AAID', 'STBID'] as const
const CROSSED = [...FORMED_SIGNALS, 'ADDRESS'] as const
type Crossing = (typeof CROSSED)[number]

/** The keys of these signals look alike. */
export function isDevice(signal: FileSignal): boolean {
  return DEVICES.some((device) => device === signal)
}

/** SQL for the keys of `found` that are on no opt-out list, in any reading, for this signal or any other. */
export function keptSql(others: readonly Crossing[], signal: FileSignal): string {
  const own = lookedUp(signal, { keys: OWN, isOwn: true })
  const crossing = others.map((other) => {
    const keys = `of_${other}`
    const { made, sql } = lookedUp(other, { keys, isOwn: false })
    return { made: [`${keys} AS MATERIALIZED ${keysOf(other, signal)}`, ...made], sql }
  })
  const looked = [own, ...crossing]
  // They are read more than once, and computing them again takes longer than keeping them.
  const made = looked.flatMap((one) => one.made)
  const opted = looked.map((one) => one.sql).join(' UNION ALL ')
  return `${made.length === 0 ? '' : `WITH ${made.join(', ')}`} SELECT key FROM found
    WHERE key IS NOT NULL AND (key IN (${opted})) IS NOT TRUE`
}

/** How the keys of a relation (source, key) are looked up among the opted-out keys of a signal. */
interface Looked {
  /** The relations that are needed. */
  readonly made: readonly string[]
  /** The query for the sources that an opt-out list has. */
  readonly sql: string
}

/**
 * Looks up the keys and their other readings together, because each lookup builds a table of the opted-out keys. If all
 * addresses of a list begin with the same word, this word is added to the opted-out addresses, because they are fewer.
 * It is removed from the addresses of the list only to compare them with opted-out hashes. `isOwn`: each key is its own
 * source, so an opted-out key is a source, too.
 */
function lookedUp(as: FileSignal, { keys, isOwn }: { keys: string; isOwn: boolean }): Looked {
  const table = optedTable(as)
  if (!hasReadings(as)) return { made: [], sql: optedSql(as, keys, isOwn ? `SELECT key FROM ${table}` : undefined) }
  const read = `read_${as}`
  const all = `(FROM ${keys} UNION ALL FROM ${read})`
  if (as !== 'EMAIL') return { made: [`${read} AS MATERIALIZED ${readingsSql(as, keys)}`], sql: optedSql(as, all) }
  const hashes = `SELECT 1 FROM ${table} WHERE ${isHash('key')}`
  const cut = `(SELECT word FROM shared WHERE EXISTS (${hashes}))`
  const opted = `SELECT key FROM ${table} UNION ALL SELECT word || key FROM ${table}, shared
    WHERE contains(key, '@') AND word || key BETWEEN first AND last`
  const areRead = `SELECT key FROM (${opted}) WHERE EXISTS (SELECT 1 FROM ${read})`
  return {
    made: [
      `shared AS MATERIALIZED ${sharedWordSql(as, keys)}`,
      `${read} AS MATERIALIZED ${readingsSql(as, keys, cut)}`,
    ],
    sql: optedSql(as, all, isOwn ? `${opted} UNION ALL ${sameSql(read, areRead)}` : sameSql(all, opted)),
  }
}

const OWN = '(SELECT key AS source, key FROM found)'

/** SQL that adds the keys of a relation (key) to the opted-out keys of a signal, in all their readings. */
export function optSql(signal: FileSignal, keys: string): string {
  if (!hasReadings(signal)) return `INSERT INTO ${optedTable(signal)} SELECT DISTINCT key FROM ${keys}`
  return `INSERT INTO ${optedTable(signal)} WITH opting AS MATERIALIZED (SELECT DISTINCT key AS source, key FROM ${keys})
    SELECT key FROM opting UNION ALL SELECT key FROM ${readingsSql(signal, 'opting')}`
}

/** SQL for the relation (source, key): the keys of `found` that are also keys of another signal. */
function keysOf(other: Crossing, signal: FileSignal): string {
  const isId = ID_SIGNALS.some((id) => id === signal)
  if (!isId && !(isDevice(other) && isDevice(signal)))
    return `(SELECT key AS source, key FROM found WHERE key IS NOT NULL AND ${isHash('key')})`
  const likely = other === 'ADDRESS' ? `(regexp_matches(key, '\\s') OR strlen(key) >= 64)` : likelySql(other, 'key')
  const some = `(SELECT key AS source, unnest(${textsWithin(other, 'key')} || [key]) AS field FROM found WHERE ${likely})`
  return `(SELECT source, key FROM (${normaliseSql(other, some)}) WHERE key IS NOT NULL)`
}
