import { FILE_SIGNALS, type FileSignal, isHashable } from '../contract/enumerations.ts'
import { isHash, normaliseSql } from '../contract/normalise-sql.ts'
import { AudienceError } from '../core/errors.ts'
import { literal } from '../platform/sql-text.ts'
import { columnNames } from './column-names.ts'
import { linesRelation } from './csv-relation.ts'
import { unreadable } from './list-errors.ts'
import type { ListInput, Workplace } from './list-input.ts'
import { readInputs } from './read-inputs.ts'
import { columnFields, isBlank, keysSql } from './read-rows.ts'
import type { Sandbox } from './sandbox.ts'

/** How many keys of a signal a file has. */
interface FoundKeys {
  readonly rows: number
  readonly keys: number
  /** The rows whose value is not a key of any signal possible for its column. */
  readonly unusable: number
}

/**
 * Adds the keys of an opt-out list to the table opted (key), which `createOptedSql` makes. Throws `opt-outs-unusable` if
 * a row cannot be used, or if it has rows and none is a key of the signal: an opt-out could be lost.
 */
export async function readOptOuts(
  sandbox: Sandbox,
  optOut: ListInput,
  { signal, work }: { readonly signal: FileSignal; readonly work: Workplace },
): Promise<void> {
  let found: FoundKeys = NOTHING
  const unread = await readingOptOuts(() =>
    readInputs(sandbox, [optOut], work, async ([input = optOut]) => {
      found = await addKeys(sandbox, input, signal)
    }),
  )
  const unusable = found.unusable + unread
  if (unusable > 0) throw unusableRows(optOut, { unusable, rows: found.rows + unread })
  if (found.rows > 0 && found.keys === 0) throw noOptOut(optOut, signal)
}

const NOTHING: FoundKeys = { rows: 0, keys: 0, unusable: 0 }

/** Adds the keys of a file to the table opted (key); returns what it has for the signal. */
export async function addKeys(sandbox: Sandbox, input: ListInput, signal: FileSignal): Promise<FoundKeys> {
  const names = await columnNames(input, sandbox)
  const column = columnFor(names, signal)
  if (input.format !== 'ndjson' && names.filter((name) => plain(name) === plain(signal)).length > 1)
    throw unreadable(input.given, `more than one of its columns is named ${signal}`)
  const stray = input.format === 'ndjson' ? await strayObjects(sandbox, input, { names, column, signal }) : NOTHING
  if (column === undefined) return stray
  const fields = await columnFields(sandbox, [input], { column, signal })
  const keyed = `SELECT field, CASE WHEN NOT starts_with(key, 'mailto:') THEN key END AS key FROM (${keysSql(signal, fields)})`
  await sandbox.run(
    `CREATE OR REPLACE TEMP TABLE opt_outs AS SELECT key, CASE WHEN key IS NULL THEN field END AS rest FROM (${keyed})`,
  )
  const rest = `(SELECT rest AS field FROM opt_outs WHERE key IS NULL AND NOT ${isBlank('rest')})`
  // A column without the name of a signal can hold keys of several.
  const others = typeof column === 'string' ? [] : PATTERNED.filter((other) => other !== signal)
  const [row] = await sandbox.rows(`SELECT count(*) AS rows, count(key) AS keys,
    (SELECT count(*) FROM ${others.reduce(withoutKeys, rest)}) AS unusable FROM opt_outs`)
  await sandbox.run('INSERT INTO opted SELECT DISTINCT key FROM opt_outs WHERE key IS NOT NULL')
  return { rows: Number(row?.rows), keys: Number(row?.keys), unusable: Number(row?.unusable) + stray.unusable }
}

/** The signals whose keys have a form of their own, as the device ids have with IDFA. */
const PATTERNED = ['IP', 'IDFA', 'EMAIL'] as const

function withoutKeys(fields: string, signal: FileSignal): string {
  return `(SELECT field FROM (${normaliseSql(signal, fields)}) WHERE key IS NULL)`
}

/** The objects that name no signal, although others of the file do. */
async function strayObjects(
  sandbox: Sandbox,
  input: ListInput,
  { names, column, signal }: { names: readonly string[]; column: string | number | undefined; signal: FileSignal },
): Promise<FoundKeys> {
  const known = names.filter((name) => name === column || (signalOf(name) ?? signal) !== signal)
  const [row] = await sandbox.rows(`SELECT count(*) AS rows, count(*) FILTER (json_type(line) <> 'OBJECT'
      OR (len(json_keys(line)) > 0 AND NOT list_has_any(json_keys(line), [${known.map(literal).join(', ')}]::VARCHAR[]))) AS unusable
    FROM ${linesRelation(input.path)} WHERE json_valid(line)`)
  const unusable = Number(row?.unusable)
  return { rows: unusable > 0 ? Number(row?.rows) : 0, keys: 0, unusable }
}

/** Reads opt-out lists. Throws `opt-outs-unusable` if one cannot be read: people who may have opted out must not be sent. */
export async function readingOptOuts<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof AudienceError) || !UNREADABLE.includes(error.code)) throw error
    throw new AudienceError({
      code: 'opt-outs-unusable',
      kind: 'failed',
      message: `an opt-out list cannot be used, so nothing was prepared: ${error.message}`,
      hint: 'privacy.suppress of audience.yaml names the opt-out lists; correct the file, then run again',
    })
  }
}

const UNREADABLE = ['list-unreadable', 'list-no-column', 'list-column-type']

export const createOptedSql = 'CREATE OR REPLACE TEMP TABLE opted (key VARCHAR)'

/**
 * SQL for whether an opt-out list has the key of a row of found. A key and its hash are the same person,
 * whichever of the two opted out.
 */
export function isOptedSql(signal: FileSignal): string {
  const same = 'key IN (SELECT key FROM opted)'
  if (!isHashable(signal)) return same
  const hashOptedOut = `(sha256(key) IN (SELECT key FROM opted WHERE ${isHash('key')}))`
  const clearOptedOut = `(${isHash('key')} AND key IN (SELECT sha256(key) FROM opted WHERE NOT ${isHash('key')}))`
  return `(${same} OR ${clearOptedOut} OR ${hashOptedOut})`
}

/** `address` is left out: columns with e-mail addresses have that name too. */
const TELLING = FILE_SIGNALS.filter((signal) => signal !== 'ADDRESS')

/** The column of the signal, or the first one; undefined if the list names other signals only. */
function columnFor(names: readonly string[], signal: FileSignal): string | number | undefined {
  const own = names.find((name) => plain(name) === plain(signal))
  if (own !== undefined) return own
  return names.some((name) => signalOf(name) !== undefined) ? undefined : 1
}

/** The signal that the name of a column stands for. */
function signalOf(name: string): FileSignal | undefined {
  return TELLING.find((signal) => plain(signal) === plain(name))
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '')
}

function unusableRows({ given }: ListInput, { unusable, rows }: { readonly unusable: number; readonly rows: number }) {
  return new AudienceError({
    code: 'opt-outs-unusable',
    kind: 'failed',
    message: `of the ${rows} rows of the opt-out list ${given}, ${unusable} cannot be used, so nothing was prepared`,
    hint: 'correct these rows or take them out: each needs a key in the column of its signal; docs/privacy.md says how these lists are read',
  })
}

function noOptOut({ given }: ListInput, signal: FileSignal): AudienceError {
  return new AudienceError({
    code: 'opt-outs-unusable',
    kind: 'failed',
    message: `the opt-out list ${given} has no ${signal} key, so nothing was prepared`,
    hint: `give it a header that names the signal of each column, such as ${signal.toLowerCase()}; docs/privacy.md says how these lists are read`,
  })
}
