import { FILE_SIGNALS, type FileSignal } from '../contract/enumerations.ts'
import { isHash, normaliseSql } from '../contract/normalise-sql.ts'
import { isFormed } from '../contract/signal-key.ts'
import { AudienceError } from '../core/errors.ts'
import type { OptOutFile } from '../core/privacy.ts'
import { literal } from '../platform/sql-text.ts'
import { columnNames } from './column-names.ts'
import { linesRelation } from './csv-relation.ts'
import { firstUnusableLine } from './first-unusable-line.ts'
import { listDialect } from './list-dialect.ts'
import { unreadable } from './list-errors.ts'
import { type ListInput, listInput, type Workplace } from './list-input.ts'
import {
  type ConfiguredColumn,
  isNameOf,
  type OptOutColumn,
  optOutColumn,
  signalOf,
  wrongFirst,
} from './opt-out-column.ts'
import { optedTable } from './opted-sql.ts'
import { readInputs } from './read-inputs.ts'
import { columnFields, isBlank, keysSql } from './read-rows.ts'
import type { Sandbox } from './sandbox.ts'

/** An opt-out list. */
export type OptOutList = ListInput & { readonly configured?: ConfiguredColumn }

/** The opt-out lists as inputs. */
export async function optOutLists(files: readonly OptOutFile[], work: Workplace): Promise<readonly OptOutList[]> {
  const lists: OptOutList[] = []
  for (const [index, one] of files.entries()) {
    const name = `opt-outs-${index}`
    if (typeof one === 'string') lists.push(await listInput(one, name, work))
    else {
      const configured = { column: one.column, signal: signalNamed(one.signal) }
      const dialects = (text: string) => listDialect(text, configured)
      lists.push({ ...(await listInput(one.file, name, work, dialects)), configured })
    }
  }
  return lists
}

function signalNamed(name: string): FileSignal {
  const signal = FILE_SIGNALS.find((one) => one === name)
  if (!signal) throw new Error(`no signal is named ${name}`)
  return signal
}

/** What a file has for a signal. */
interface FoundKeys {
  readonly rows: number
  /** The rows with a key of any allowed signal. */
  readonly usable: number
  /** The keys of the signal. */
  readonly keys: number
  /** The rows whose value is not a key of any allowed signal. */
  readonly unusable: number
}

const NOTHING: FoundKeys = { rows: 0, usable: 0, keys: 0, unusable: 0 }

interface OptOutReading {
  readonly signal: FileSignal
  readonly work: Workplace
  /**
   * `suppress`: for a list of keys of the signal. `other`: a file that could have keys of the signal may have none.
   * `check`: the file only asks who is in a list; if no row of it can be used, it has no keys.
   */
  readonly purpose: 'suppress' | 'other' | 'check'
}

/**
 * Adds the keys of an opt-out list to the table of its signal, which `createOptedSql` makes; returns how many rows have
 * one. Throws `opt-outs-unusable` if the file does not prove that it is such a list, or if a row of it cannot be used: an
 * opt-out could be lost.
 */
export async function readOptOuts(
  sandbox: Sandbox,
  optOut: OptOutList,
  { signal, work, purpose }: OptOutReading,
): Promise<number> {
  return readingOptOuts(async () => {
    const names = await columnNames(optOut, sandbox)
    if (optOut.format !== 'ndjson' && !optOut.configured && names.filter((name) => isNameOf(name, signal)).length > 1)
      throw unreadable(optOut.given, `more than one of its columns is named ${signal}`)
    const column = optOutColumn(names, signal, optOut.configured)
    if (column === undefined && optOut.format !== 'ndjson') return 0
    if (optOut.format === 'ndjson' && column?.proof === 'unnamed')
      throw noProof(optOut, signal, 'its lines are not objects that name a signal')
    const wrong = optOut.format === 'csv' && column ? wrongFirst(optOut.dialect, column) : undefined
    let found: FoundKeys = NOTHING
    const keys = { column: column?.column, signal: column?.signal ?? signal }
    const unread = await readInputs(sandbox, [optOut], { ...work, keys }, async ([input = optOut]) => {
      const stray = input.format === 'ndjson' ? await strayObjects(sandbox, input, { names, column, signal }) : NOTHING
      found = column === undefined ? stray : await addKeys(sandbox, input, { column, signal, stray })
    })
    const { rows, usable } = found
    if (wrong !== undefined && column && usable === 0) throw noProof(optOut, signal, wrong.why)
    const unusable = found.unusable + unread + (wrong?.rows ?? 0)
    if (purpose === 'check' && column?.proof === 'header' && usable === 0) return 0
    if (unusable > 0) {
      const line = wrong?.line ?? (column && (await firstUnusableLine(optOut, column, work.signal)))
      throw unusableRows(optOut, { signal, purpose }, { unusable, rows: rows + unread + (wrong?.rows ?? 0), line })
    }
    if (column === undefined) return 0
    if (typeof column.column === 'number' && rows === 0) throw noProof(optOut, signal, 'it has a header and no rows')
    if (column.proof !== 'header' && usable === 0 && rows > 0) throw noProof(optOut, signal, 'it has no key')
    if (rows > 0 && found.keys === 0 && isFormed(signal) && purpose === 'suppress') throw noOptOut(optOut, signal)
    return found.keys
  })
}

async function addKeys(
  sandbox: Sandbox,
  input: ListInput,
  { column, signal, stray }: { column: OptOutColumn; signal: FileSignal; stray: FoundKeys },
): Promise<FoundKeys> {
  const fields = await columnFields(sandbox, [input], column)
  await sandbox.run(`CREATE OR REPLACE TEMP TABLE opt_outs AS SELECT key, CASE WHEN key IS NULL THEN field END AS rest
    FROM (${keysSql(column.signal, fields)})`)
  const rest = `(SELECT rest AS field FROM opt_outs WHERE key IS NULL AND NOT ${isBlank('rest')})`
  const others = column.allowed.filter((other) => other !== column.signal)
  const [row] = await sandbox.rows(`SELECT count(*) AS rows, count(key) AS keys,
    count(*) FILTER (key IS NOT NULL OR NOT ${isBlank('rest')}) AS filled,
    (SELECT count(*) FROM ${others.reduce(withoutKeys, rest)}) AS unusable FROM opt_outs`)
  const unusable = Number(row?.unusable)
  const usable = Number(row?.filled) - unusable
  const found = { rows: Number(row?.rows), usable, unusable: unusable + stray.unusable }
  // Read for another signal, only to see that its rows are keys.
  if (column.signal !== signal) return { ...found, keys: 0 }
  if (column.proof === 'unnamed') await checkOtherColumns(sandbox, input, column)
  await sandbox.run(`INSERT INTO ${optedTable(signal)} SELECT DISTINCT key FROM opt_outs WHERE key IS NOT NULL`)
  return { ...found, keys: Number(row?.keys) }
}

function withoutKeys(fields: string, signal: FileSignal): string {
  return `(SELECT field FROM (${normaliseSql(signal, fields)}) WHERE key IS NULL)`
}

/** The most columns that are looked at: a file of opt-outs has few. */
const MAX_COLUMNS = 50

/** Throws if a file without names has keys in other columns, too: nobody knows whose they are. */
async function checkOtherColumns(sandbox: Sandbox, input: ListInput, { signal }: OptOutColumn): Promise<void> {
  if (input.format !== 'csv') return
  for (const index of input.dialect.first.slice(1, MAX_COLUMNS).keys()) {
    const column = index + 2
    const fields = await columnFields(sandbox, [input], { column, signal })
    const [row] = await sandbox.rows(
      `SELECT count(*) AS n FROM (${normaliseSql(signal, fields)}) WHERE key IS NOT NULL AND NOT ${isHash('key')}`,
    )
    if (Number(row?.n) > 0)
      throw unreadable(
        input.given,
        `its columns 1 and ${column} have ${signal} keys, and no header says which of them opted out`,
      )
  }
}

/** The objects that name no signal although others of the file do, and those that name one twice. */
async function strayObjects(
  sandbox: Sandbox,
  input: ListInput,
  { names, column, signal }: { names: readonly string[]; column: OptOutColumn | undefined; signal: FileSignal },
): Promise<FoundKeys> {
  const known = names.filter((name) => name === column?.column || (signalOf(name) ?? signal) !== signal)
  const own = names.filter((name) => isNameOf(name, signal))
  const texts = (all: readonly string[]) => `[${all.map(literal).join(', ')}]::VARCHAR[]`
  const [row] = await sandbox.rows(`SELECT count(*) AS rows, count(*) FILTER (json_type(line) <> 'OBJECT'
      OR (len(json_keys(line)) > 0 AND NOT list_has_any(json_keys(line), ${texts(known)}))
      OR len(list_filter(json_keys(line), lambda name: list_contains(${texts(own)}, name))) > 1) AS unusable
    FROM ${linesRelation(input.path)} WHERE json_valid(line)`)
  const unusable = Number(row?.unusable)
  return { ...NOTHING, rows: unusable > 0 ? Number(row?.rows) : 0, unusable }
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

function expected(signal: FileSignal): string {
  const keys = isFormed(signal) ? ', or one key a line and nothing else' : ''
  return `give it a header that names the signal of each column, such as ${signal.toLowerCase()}${keys}; if its columns have other names, write { file, column, signal } into privacy.suppress`
}

function noProof({ given }: ListInput, signal: FileSignal, what: string): AudienceError {
  return new AudienceError({
    code: 'opt-outs-unusable',
    kind: 'failed',
    message: `${given} does not prove that it is an opt-out list, so nothing was prepared: ${what}`,
    hint: `look at the file: it may be the page of an error, or cut off; ${expected(signal)}`,
  })
}

function unusableRows(
  { given }: ListInput,
  { signal, purpose }: Omit<OptOutReading, 'work'>,
  { unusable, rows, line }: { readonly unusable: number; readonly rows: number; readonly line: number | undefined },
) {
  const where = line === undefined ? '' : `; the first is in line ${line}`
  const what = purpose === 'check' ? '' : 'the opt-out list '
  const outcome = purpose === 'check' ? 'no list was searched' : 'nothing was prepared'
  return new AudienceError({
    code: 'opt-outs-unusable',
    kind: 'failed',
    message: `of the ${rows} rows of ${what}${given}, ${unusable} cannot be used, so ${outcome}${where}`,
    hint: `correct these rows or take them out; ${expected(signal)}; docs/privacy.md says how these lists are read`,
  })
}

function noOptOut({ given }: ListInput, signal: FileSignal): AudienceError {
  return new AudienceError({
    code: 'opt-outs-unusable',
    kind: 'failed',
    message: `the opt-out list ${given} has no ${signal} key, so nothing was prepared`,
    hint: `${expected(signal)}; docs/privacy.md says how these lists are read`,
  })
}
