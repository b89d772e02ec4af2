import { FILE_SIGNALS } from '../contract/enumerations.ts'
import { isHash } from '../contract/normalise-sql.ts'
import { AudienceError } from '../core/errors.ts'
import { columnNames } from './column-names.ts'
import type { ListInput } from './list-input.ts'
import type { FileSignal } from './list-request.ts'
import { columnFields, keysSql } from './read-rows.ts'
import type { Sandbox } from './sandbox.ts'

/**
 * Adds the keys of an opt-out list to the table opted (key), which `createOptedSql` makes. Throws `opt-outs-unusable` if
 * it has rows, and none is a key of the signal.
 */
export async function readOptOuts(sandbox: Sandbox, input: ListInput, signal: FileSignal): Promise<void> {
  const found = await addKeys(sandbox, input, signal)
  if (found.rows > 0 && found.keys === 0) throw noOptOut(input, signal)
}

/** Adds the keys of a file to the table opted (key); returns how many rows it has for the signal, and how many keys. */
export async function addKeys(
  sandbox: Sandbox,
  input: ListInput,
  signal: FileSignal,
): Promise<{ readonly rows: number; readonly keys: number }> {
  const column = columnFor(await columnNames(input, sandbox), signal)
  if (column === undefined) return { rows: 0, keys: 0 }
  const fields = await columnFields(sandbox, [input], { column, signal })
  await sandbox.run(`CREATE OR REPLACE TEMP TABLE opt_outs AS SELECT key FROM (${keysSql(signal, fields)})`)
  const [row] = await sandbox.rows('SELECT count(*) AS rows, count(key) AS keys FROM opt_outs')
  await sandbox.run('INSERT INTO opted SELECT DISTINCT key FROM opt_outs WHERE key IS NOT NULL')
  return { rows: Number(row?.rows), keys: Number(row?.keys) }
}

/** Reads opt-out lists. Throws `opt-outs-unusable` if one cannot be read: nobody may be sent who may have opted out. */
export async function readingOptOuts<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof AudienceError) || error.code !== 'list-unreadable') throw error
    throw new AudienceError({
      code: 'opt-outs-unusable',
      kind: 'failed',
      message: `an opt-out list cannot be used, so nothing was prepared: ${error.message}`,
      hint: 'privacy.suppress of audience.yaml names the opt-out lists; correct the file, then run again',
    })
  }
}

export const createOptedSql = 'CREATE OR REPLACE TEMP TABLE opted (key VARCHAR)'

/**
 * SQL for whether an opt-out list has the key of a row of found. A hash and what it is the hash of are the same person,
 * whichever of the two opted out.
 */
export function isOptedSql(signal: FileSignal): string {
  const same = 'key IN (SELECT key FROM opted)'
  if (!HASHED.includes(signal)) return same
  const hashOptedOut = `(sha256(key) IN (SELECT key FROM opted WHERE ${isHash('key')}))`
  const clearOptedOut = `(${isHash('key')} AND key IN (SELECT sha256(key) FROM opted WHERE NOT ${isHash('key')}))`
  return `(${same} OR ${clearOptedOut} OR ${hashOptedOut})`
}

/** The signals whose keys can be given as SHA-256. */
export const HASHED: readonly FileSignal[] = ['IP', 'IDFA', 'AAID', 'STBID', 'EMAIL', 'ADDRESS']

/** `address` is left out: people also call a column with e-mail addresses so. */
const TELLING = FILE_SIGNALS.filter((signal) => signal !== 'ADDRESS')

/** The column of the signal, or the first one; undefined if the list names other signals only. */
function columnFor(names: readonly string[], signal: FileSignal): string | number | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '')
  const own = names.find((name) => plain(name) === plain(signal))
  if (own !== undefined) return own
  return TELLING.some((other) => names.some((name) => plain(name) === plain(other))) ? undefined : 1
}

function noOptOut({ given }: ListInput, signal: FileSignal): AudienceError {
  return new AudienceError({
    code: 'opt-outs-unusable',
    kind: 'failed',
    message: `the opt-out list ${given} has no ${signal} key, so nothing was prepared`,
    hint: `give it a header that names the signal of each column, such as ${signal.toLowerCase()}; docs/privacy.md says how these lists are read`,
  })
}
