import { type FileSignal, ID_SIGNALS, isHashable } from '../contract/enumerations.ts'
import { composedSql, isHash, normaliseSql, trimmedSql } from '../contract/normalise-sql.ts'
import { FORMED_SIGNALS } from '../contract/signal-key.ts'
import { likelySql, textsWithin } from './keys-within.ts'
import { hasReadings, readingsSql } from './other-readings.ts'
import type { Sandbox } from './sandbox.ts'

/** Makes the table for the keys of a signal that opted out. */
export function createOptedSql(signal: FileSignal): string {
  return `CREATE OR REPLACE TEMP TABLE ${optedTable(signal)} (key VARCHAR)`
}

export function optedTable(signal: FileSignal): string {
  return `opted_${signal.toLowerCase()}`
}

/**
 * SQL for whether an opt-out list has a normalised key. A key and its hash are the same person, whichever of the two
 * opted out; so is an id with blanks around it, and with `é` as one character or two. Who hashed an address may have
 * had its domain as people write it.
 */
export function isOptedSql(signal: FileSignal): string {
  const opted = optedTable(signal)
  if (!isHashable(signal)) return `(${idSql('key')} IN (SELECT ${idSql('key')} FROM ${opted}))`
  const same = `key IN (SELECT key FROM ${opted})`
  const forms = [{ sql: 'key', if: 'true' }, ...(signal === 'EMAIL' ? [READABLE] : [])]
  const hashOptedOut = forms.map(
    (form) => `(${form.if} AND sha256(${form.sql}) IN (SELECT key FROM ${opted} WHERE ${isHash('key')}))`,
  )
  const hashes = forms.map(
    (form) => `SELECT sha256(${form.sql}) FROM ${opted} WHERE ${form.if} AND NOT ${isHash('key')}`,
  )
  const clearOptedOut = `(${isHash('key')} AND key IN (${hashes.join(' UNION ALL ')}))`
  return `(${[same, clearOptedOut, ...hashOptedOut].join(' OR ')})`
}

/** An address whose domain has another form. */
export const READABLE = { sql: 'readable_email(key)', if: `contains(key, 'xn--')` }

function idSql(key: string): string {
  return composedSql(trimmedSql(key))
}

/**
 * The other signals that keys of the table found can be of: an address in a list of ids is still a person, who may have
 * opted out by e-mail. The clear keys of a signal with a form are no others', but a hash can be one of anything.
 */
export async function crossingSignals(sandbox: Sandbox, signal: FileSignal): Promise<readonly Crossing[]> {
  // Most of these are the same query.
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

/** SQL for the keys of found that an opt-out list has in another reading, or for another signal; undefined if there can be none. */
export function crossedSql(others: readonly Crossing[], signal: FileSignal): string | undefined {
  const isOpted = (one: FileSignal, keys: string) => `SELECT source FROM ${keys} WHERE ${isOptedSql(one)}`
  const parts = others.map((other) => isOpted(other, keysOf(other, signal)))
  const own = `(SELECT key AS source, key FROM found WHERE key IS NOT NULL)`
  if (hasReadings(signal)) parts.push(isOpted(signal, readingsSql(signal, own)))
  if (others.includes('EMAIL')) parts.push(isOpted('EMAIL', readingsSql('EMAIL', keysOf('EMAIL', signal))))
  return parts.length === 0 ? undefined : parts.join(' UNION ')
}

/** SQL that adds the keys of a relation (key) to those of a signal that opted out, in all their readings. */
export function optSql(signal: FileSignal, keys: string): string {
  const readings = `SELECT key FROM ${readingsSql(signal, `(SELECT key AS source, key FROM ${keys})`)}`
  return `INSERT INTO ${optedTable(signal)} SELECT key FROM ${keys} ${hasReadings(signal) ? `UNION ${readings}` : ''}`
}

/** The relation (source, key) of the keys of found that are keys of another signal, too. */
function keysOf(other: Crossing, signal: FileSignal): string {
  const isId = ID_SIGNALS.some((id) => id === signal)
  if (!isId && !(isDevice(other) && isDevice(signal)))
    return `(SELECT key AS source, key FROM found WHERE key IS NOT NULL AND ${isHash('key')})`
  const likely = other === 'ADDRESS' ? `(regexp_matches(key, '\\s') OR strlen(key) >= 64)` : likelySql(other, 'key')
  const some = `(SELECT key AS source, unnest(${textsWithin(other, 'key')} || [key]) AS field FROM found WHERE ${likely})`
  return `(SELECT source, key FROM (${normaliseSql(other, some)}) WHERE key IS NOT NULL)`
}
