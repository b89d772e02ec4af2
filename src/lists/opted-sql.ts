import { type FileSignal, ID_SIGNALS, isHashable } from '../contract/enumerations.ts'
import { isHash, normaliseSql, trimmedSql } from '../contract/normalise-sql.ts'
import { FORMED_SIGNALS } from '../contract/signal-key.ts'
import type { Sandbox } from './sandbox.ts'

type Formed = (typeof FORMED_SIGNALS)[number]

/** Makes the table for the keys of a signal that opted out. */
export function createOptedSql(signal: FileSignal): string {
  return `CREATE OR REPLACE TEMP TABLE ${optedTable(signal)} (key VARCHAR)`
}

export function optedTable(signal: FileSignal): string {
  return `opted_${signal.toLowerCase()}`
}

/**
 * SQL for whether an opt-out list has a normalised key. A key and its hash are the same person, whichever of the two
 * opted out; so is an id with blanks around it.
 */
export function isOptedSql(signal: FileSignal): string {
  const opted = optedTable(signal)
  if (!isHashable(signal)) return `(${trimmedSql('key')} IN (SELECT ${trimmedSql('key')} FROM ${opted}))`
  const same = `key IN (SELECT key FROM ${opted})`
  const hashOptedOut = `(sha256(key) IN (SELECT key FROM ${opted} WHERE ${isHash('key')}))`
  const clearOptedOut = `(${isHash('key')} AND key IN (SELECT sha256(key) FROM ${opted} WHERE NOT ${isHash('key')}))`
  return `(${same} OR ${clearOptedOut} OR ${hashOptedOut})`
}

/**
 * The other signals that keys of the table found can be of: an address in a list of ids is still a person, who may have
 * opted out by e-mail. Only ids and device ids can be keys of another signal.
 */
export async function crossingSignals(sandbox: Sandbox, signal: FileSignal): Promise<readonly Formed[]> {
  if (!isDevice(signal) && !ID_SIGNALS.some((id) => id === signal)) return []
  const others = (isDevice(signal) ? DEVICES : FORMED_SIGNALS).filter((other) => other !== signal)
  const crossing: Formed[] = []
  for (const other of others) {
    const [row] = await sandbox.rows(`SELECT count(*) AS n FROM (SELECT 1 FROM ${keysOf(other)} LIMIT 1)`)
    if (Number(row?.n) > 0) crossing.push(other)
  }
  return crossing
}

const DEVICES = ['IDFA', 'AAID', 'STBID'] as const

/** The keys of these signals look alike. */
export function isDevice(signal: FileSignal): boolean {
  return DEVICES.some((device) => device === signal)
}

/** SQL for the keys of found that an opt-out list of another signal has; `undefined` signals: none. */
export function crossedSql(signals: readonly Formed[]): string {
  return signals.map((signal) => `SELECT source FROM ${keysOf(signal)} WHERE ${isOptedSql(signal)}`).join(' UNION ')
}

/** The relation (source, key) of the keys of found that are keys of another signal, too. */
function keysOf(signal: Formed): string {
  const some = `(SELECT key AS source, key AS field FROM found WHERE ${likelySql(signal, 'key')})`
  return `(SELECT source, key FROM (${normaliseSql(signal, some)}) WHERE key IS NOT NULL)`
}

/** SQL for whether a text may be a key of a signal: cheaper than to normalise millions. */
export function likelySql(signal: Formed, text: string): string {
  const isLong = `strlen(${text}) >= 32`
  if (signal === 'EMAIL') return `(contains(${text}, '@') OR ${isLong})`
  if (signal === 'IP') return `(contains(${text}, '.') OR contains(${text}, ':') OR ${isLong})`
  return `(${isLong})`
}
