import { FILE_SIGNALS, type FileSignal, isHashable } from '../contract/enumerations.ts'
import { isHash, normaliseSql, patternSql } from '../contract/normalise-sql.ts'
import { FORMED_SIGNALS, isFormed } from '../contract/signal-key.ts'
import type { OptOutFile } from '../core/privacy.ts'
import { literal } from '../platform/sql-text.ts'
import { linesRelation } from './csv-relation.ts'
import { columnNames, csvColumn } from './fields-sql.ts'
import { firstLineWith, firstUnusableLine } from './first-line-with.ts'
import { likelySql, ODD_ADDRESS, textsWithin } from './keys-within.ts'
import { namingFiles } from './list-errors.ts'
import { type ListInput, listInput, type Workplace } from './list-input.ts'
import { type ConfiguredColumn, isOfManySql, type OptOutColumn, optOutColumn, wrongFirst } from './opt-out-column.ts'
import { hiddenKeys, noOptOut, noProof, type OptOutUse, readingOptOuts, unusableRows } from './opt-out-errors.ts'
import { isDevice, optSql } from './opted-sql.ts'
import { readListInputs } from './read-inputs.ts'
import { columnFields, isBlankRow, keysSql } from './read-rows.ts'
import type { Sandbox } from './sandbox.ts'
import { isNameOf, signalOf } from './signal-names.ts'
import { lookElsewhere, type StrayColumn, strayLine } from './stray-column.ts'

/** An opt-out list. */
export type OptOutList = ListInput & { readonly configured?: ConfiguredColumn }

/** The opt-out lists as inputs. */
export async function optOutLists(files: readonly OptOutFile[], work: Workplace): Promise<readonly OptOutList[]> {
  const lists: OptOutList[] = []
  for (const [index, one] of files.entries()) {
    const name = `opt-outs-${index}`
    if (typeof one === 'string') lists.push(await listInput({ given: one, path: one }, name, work))
    else {
      const configured = { column: one.column, signal: signalNamed(one.signal) }
      lists.push({ ...(await listInput({ given: one.file, path: one.file }, name, work, configured)), configured })
    }
  }
  return lists
}

function signalNamed(name: string): FileSignal {
  const signal = FILE_SIGNALS.find((one) => one === name)
  if (!signal) throw new Error(`no signal is named ${name}`)
  return signal
}

/** What a file holds for a signal. */
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

interface OptOutReading extends OptOutUse {
  readonly work: Workplace
}

/**
 * Adds the keys of an opt-out list to the table of its signal, which `createOptedSql` makes. Throws `opt-outs-unusable`
 * if the file does not prove that it is such a list, or if a row of it cannot be used, because an opt-out could be
 * lost.
 */
export function readOptOuts(sandbox: Sandbox, optOut: OptOutList, reading: OptOutReading): Promise<void> {
  return readingOptOuts(() => namingFiles([optOut], () => addOptOuts(sandbox, optOut, reading)), reading.purpose)
}

async function addOptOuts(sandbox: Sandbox, optOut: OptOutList, use: OptOutReading): Promise<void> {
  const { signal, work, purpose } = use
  const names = await columnNames(optOut, sandbox)
  const column = optOutColumn(names, signal, optOut.configured)
  if (column === undefined && optOut.configured !== undefined) return addOthers(sandbox, optOut, optOut.configured, use)
  if (optOut.format === 'ndjson' && column?.proof === 'unnamed')
    throw noProof(optOut, use, 'its lines are not objects that name a signal')
  const wrong = optOut.format === 'csv' ? wrongFirst(optOut.dialect, column) : undefined
  let found: FoundKeys = NOTHING
  let hidden: StrayColumn | undefined
  // A list for another signal may hold a key by chance. In that list, only e-mail addresses in other columns are an
  // error.
  const isRefused = SUPPRESSING.includes(purpose) || purpose === 'check' || signal === 'EMAIL'
  const isSearched = optOut.configured === undefined && (isRefused || purpose !== 'hashes')
  const keys = { column: column?.column, signal: column?.signal ?? signal }
  const unread = await readListInputs(sandbox, [optOut], { ...work, keys }, async ([input = optOut]) => {
    const reading = { names, column, signal }
    const objects = input.format === 'ndjson' ? await strayObjects(sandbox, input, reading) : NOTHING
    if (isSearched) {
      const { stray, texts } = await lookElsewhere(sandbox, input, reading)
      hidden = isRefused ? stray : undefined
      if (texts !== undefined && purpose !== 'check') await addTexts(sandbox, texts, signal)
    }
    found = column === undefined ? objects : await addKeys(sandbox, input, { column, signal, stray: objects })
  })
  const { rows, usable } = found
  // The error about unusable rows is more informative, unless the column of the keys is unknown.
  const isTold = found.unusable > 0 && column?.proof !== 'unnamed' && purpose !== 'check'
  if (hidden !== undefined && !isTold)
    throw hiddenKeys(optOut, use, { ...hidden, line: await strayLine(optOut, hidden, use) })
  if (wrong !== undefined && column && usable === 0) throw noProof(optOut, use, wrong.why)
  const unusable = found.unusable + unread + (wrong?.rows ?? 0)
  if (purpose === 'check' && column?.proof === 'header' && usable === 0 && unread === 0) return
  if (unusable > 0) {
    const first = wrong ?? (column && (await firstUnusableLine(optOut, column, work.signal)))
    throw unusableRows(optOut, use, { ...first, bad: unusable, rows: rows + unread + (wrong?.rows ?? 0) })
  }
  if (column === undefined) return
  if (typeof column.column === 'number' && rows === 0) throw noProof(optOut, use, 'it has a header and no rows')
  if (column.proof !== 'header' && usable === 0 && rows > 0) throw noProof(optOut, use, 'it has no key')
  if (rows > 0 && found.keys === 0 && isFormed(signal) && SUPPRESSING.includes(purpose)) throw noOptOut(optOut, use)
}

const SUPPRESSING: readonly OptOutUse['purpose'][] = ['suppress', 'proof']

/** Adds the keys of the signal from an entry for another signal, because an id can be an address. */
async function addOthers(
  sandbox: Sandbox,
  optOut: OptOutList,
  configured: ConfiguredColumn,
  use: OptOutReading,
): Promise<void> {
  const { signal, work } = use
  if (!isHashable(signal)) return
  const formed = FORMED_SIGNALS.find((one) => one === signal)
  const isLikely = formed === undefined ? 'true' : likelySql(formed, 'field')
  // An address that is written differently cannot be compared, and may be anybody's.
  const isOdd = signal === 'EMAIL' ? `regexp_matches(field, ${patternSql(ODD_ADDRESS)})` : 'false'
  let counted: Record<string, unknown> | undefined
  const unread = await readListInputs(sandbox, [optOut], { ...work, keys: configured }, async ([input = optOut]) => {
    const fields = await columnFields(sandbox, [input], configured)
    const texts = `(SELECT unnest(${textsWithin(signal, 'field')} || [field]) AS field FROM ${fields} WHERE ${isLikely})`
    await sandbox.run(optSql(signal, `(SELECT key FROM (${normaliseSql(signal, texts)}) WHERE key IS NOT NULL)`))
    const [row] = await sandbox.rows(`SELECT count(*) AS rows, count(*) FILTER (${isOdd}) AS odd FROM ${fields}`)
    counted = row
  })
  const unusable = Number(counted?.odd) + unread
  if (unusable === 0) return
  const column = optOut.format === 'csv' ? csvColumn(optOut, configured).index + 1 : configured.column
  const line = await firstLineWith(optOut, column, (field) => ODD_ADDRESS.test(field), work.signal)
  throw unusableRows(optOut, use, { bad: unusable, rows: Number(counted?.rows) + unread, line })
}

async function addKeys(
  sandbox: Sandbox,
  input: ListInput,
  { column, signal, stray }: { column: OptOutColumn; signal: FileSignal; stray: FoundKeys },
): Promise<FoundKeys> {
  const fields = await columnFields(sandbox, [input], column)
  await sandbox.run(`CREATE OR REPLACE TEMP TABLE opt_outs AS SELECT key, CASE WHEN key IS NULL THEN field END AS rest
    FROM (SELECT field, CASE WHEN NOT ${isOfManySql(column.signal)} THEN key END AS key FROM (${keysSql(column.signal, fields)}))`)
  const rest = `(SELECT rest AS field FROM opt_outs WHERE key IS NULL AND NOT ${isBlankRow('rest')})`
  const others = column.allowed.filter((other) => other !== column.signal)
  const [row] = await sandbox.rows(`SELECT count(*) AS rows, count(key) AS keys,
    count(*) FILTER (key IS NOT NULL OR NOT ${isBlankRow('rest')}) AS filled,
    (SELECT count(*) FROM ${others.reduce(withoutKeys, rest)}) AS unusable FROM opt_outs`)
  const unusable = Number(row?.unusable)
  const usable = Number(row?.filled) - unusable
  const found = { rows: Number(row?.rows), usable, unusable: unusable + stray.unusable }
  // The file is read for another signal, only to check that its rows are keys.
  if (column.signal !== signal) return { ...found, keys: 0 }
  await sandbox.run(optSql(signal, '(SELECT key FROM opt_outs WHERE key IS NOT NULL)'))
  return { ...found, keys: Number(row?.keys) }
}

/** Adds the keys that occur elsewhere in an opt-out list: a hash, or a key with a recognisable form. */
async function addTexts(sandbox: Sandbox, texts: string, signal: FileSignal): Promise<void> {
  const isKnown = isFormed(signal) ? 'key IS NOT NULL' : isHash('key')
  await sandbox.run(optSql(signal, `(SELECT key FROM (${normaliseSql(signal, texts)}) WHERE ${isKnown})`))
}

/** Without its hyphens, a device id looks like the MD5 of an address, which cannot be compared. */
function withoutKeys(fields: string, signal: FileSignal): string {
  const isOther = isDevice(signal) ? `contains(field, '-')` : `NOT ${isOfManySql(signal)}`
  return `(SELECT field FROM (${normaliseSql(signal, fields)}) WHERE key IS NULL OR NOT ${isOther})`
}

/**
 * Counts the objects that name no signal although other objects in the file do, and the objects that name the same
 * signal twice.
 */
async function strayObjects(
  sandbox: Sandbox,
  input: ListInput,
  { names, column, signal }: { names: readonly string[]; column: OptOutColumn | undefined; signal: FileSignal },
): Promise<FoundKeys> {
  const known = names.filter((name) => name === column?.column || (signalOf(name) ?? signal) !== signal)
  const own = names.filter((name) => isNameOf(name, signal))
  const texts = (all: readonly string[]) => `[${all.map(literal).join(', ')}]::VARCHAR[]`
  // If there is a column, only its rows count, and a line that is not JSON is counted there as bad.
  const isBroken = column === undefined ? 'line IS NULL' : 'false'
  const [row] = await sandbox.rows(`SELECT count(*) AS rows, count(*) FILTER (${isBroken} OR json_type(line) <> 'OBJECT'
      OR (len(json_keys(line)) > 0 AND NOT list_has_any(json_keys(line), ${texts(known)}))
      OR len(list_filter(json_keys(line), lambda name: list_contains(${texts(own)}, name))) > 1) AS unusable
    FROM (SELECT CASE WHEN json_valid(line) THEN line END AS line FROM ${linesRelation(input.path)} WHERE NOT ${isBlankRow('line')})`)
  const unusable = Number(row?.unusable)
  return { ...NOTHING, rows: unusable > 0 ? Number(row?.rows) : 0, unusable }
}
