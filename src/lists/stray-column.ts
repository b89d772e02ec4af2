import { type FileSignal, isHashable } from '../contract/enumerations.ts'
import { isHash, normaliseSql, patternSql } from '../contract/normalise-sql.ts'
import { FORMED_SIGNALS, isBlank as isBlankField, isKeyOf } from '../contract/signal-key.ts'
import { literal } from '../platform/sql-text.ts'
import { csvRelation, linesRelation } from './csv-relation.ts'
import { csvColumn, fieldPointer } from './fields-sql.ts'
import { firstLineWith } from './first-line-with.ts'
import { ADDRESS_IN_TEXT, likelySql, textsWithin } from './keys-within.ts'
import type { ListInput } from './list-input.ts'
import type { OptOutColumn } from './opt-out-column.ts'
import { isDevice } from './opted-sql.ts'
import { parquetRelation } from './parquet-relation.ts'
import { isBlankRow } from './read-rows.ts'
import type { Sandbox } from './sandbox.ts'
import { isNameOf, mentions, signalOf } from './signal-names.ts'

/** A column of an opt-out list that has keys of a signal although its name does not say so. */
export interface StrayColumn {
  /** Its number, from 1; for NDJSON and Parquet, its name. */
  readonly column: number | string
  readonly name: string
  readonly kind: Kind
}

/**
 * What the name of a column says. `same`: the signal of the column that is read; `other`: another signal; `device`:
 * another kind of device, whose ids look alike; `like`: hashes of keys; `free`: nothing.
 */
type Kind = 'same' | 'other' | 'device' | 'like' | 'free'

/** The part of a file that is read. `column` is undefined if the names say that the file is for other signals. */
interface Reading {
  readonly names: readonly string[]
  readonly column: OptOutColumn | undefined
  readonly signal: FileSignal
}

/** What was found in the columns of an opt-out list that are not read. */
export interface Elsewhere {
  /** The column with the most keys that must not be there: whole keys, and addresses inside other text. */
  readonly stray: StrayColumn | undefined
  /** SQL for the strings in these columns that may be keys of the signal; undefined if there are none. */
  readonly texts: string | undefined
}

/**
 * Searches the columns that are not read for keys of the signal, because somebody may have opted out with them. Any
 * column may hold hashes, so a hash only counts as stray in a row without another key. Ids and postal addresses have no
 * recognisable form, so they cannot be found.
 */
export async function lookElsewhere(
  sandbox: Sandbox,
  input: ListInput,
  { names, column, signal }: Reading,
): Promise<Elsewhere> {
  const formed = FORMED_SIGNALS.find((one) => one === signal)
  const own = ownIndex(input, names, column)
  const others = names
    .map((name, index) => ({ name, column: input.format === 'csv' ? index + 1 : name, kind: kindOf(name, signal) }))
    .filter(({ kind }, index) => index !== own && (kind === 'same' || isHashable(signal)))
  if (others.length === 0) return { stray: undefined, texts: undefined }
  const kinds = others.map((one) => `(${literal(String(one.column))}, ${literal(one.kind)})`).join(', ')
  // A second column with the same name must be blank, so all its values are examined, whatever they look like.
  const pattern = others.every(({ kind }) => kind !== 'same') ? LIKELY[formed ?? 'ADDRESS'] : undefined
  const numbers = others.map((one) => Number(one.column))
  const cells =
    input.format === 'csv' ? csvCells(input, { numbers, pattern, column }) : jsonCells(input, { pattern, column })
  const isAround = signal === 'EMAIL' ? `regexp_matches(field, ${patternSql(ADDRESS_IN_TEXT)})` : 'false'
  const likely = formed === undefined ? 'strlen(field) >= 64' : likelySql(formed, 'field')
  const some = `(SELECT * FROM (${cells}) JOIN (VALUES ${kinds}) AS kinds(col, kind) USING (col)
    WHERE field IS NOT NULL AND (kind = 'same' OR ${likely} OR ${isAround}))`
  const within = textsWithin(signal, 'field')
  const rows = await sandbox.rows(`SELECT col, bool_or(key IS NOT NULL OR len(${within}) > 0) AS within,
      count(*) FILTER (CASE
        WHEN kind = 'same' THEN NOT ${isBlankRow('field')}
        WHEN kind = 'device' OR ${formed === undefined} THEN false
        WHEN ${isHash('key')} OR (kind = 'like' AND regexp_full_match(field, ${patternSql(HEX_ALONE)})) THEN alone AND kind <> 'other'
        ELSE key IS NOT NULL OR ${isAround} END) AS strays
    FROM (${normaliseSql(signal, some)}) GROUP BY col ORDER BY strays DESC`)
  const found = rows.find(({ strays }) => Number(strays) > 0)
  return {
    stray: others.find((one) => String(one.column) === found?.col),
    texts: rows.some((row) => row.within === true)
      ? `(SELECT unnest(${within} || [field]) AS field FROM ${some})`
      : undefined,
  }
}

/** The number of the first line with such a key; undefined if it is not found. */
export function strayLine(
  input: ListInput,
  { column, name, kind }: StrayColumn,
  { signal, work }: { signal: FileSignal; work: { signal: AbortSignal } },
): Promise<number | undefined> {
  const isStray = (field: string) =>
    kind === 'same'
      ? !isBlankField(field) && field !== name
      : isKeyOf(signal, field) ||
        (signal === 'EMAIL' && ADDRESS_IN_TEXT.test(field)) ||
        (kind === 'like' && HEX.test(field))
  return firstLineWith(input, column, isStray, work.signal)
}

const HEX = /[0-9A-Fa-f]{32,}/
/** Matches leading blanks too; otherwise JavaScript would scan them again from each one. */
const HEX_ALONE = new RegExp(String.raw`\s*${HEX.source}\s*`)

function kindOf(name: string, signal: FileSignal): Kind {
  if (isNameOf(name, signal)) return 'same'
  const named = signalOf(name)
  if (named !== undefined) return isDevice(named) && isDevice(signal) ? 'device' : 'other'
  return mentions(name, signal) ? 'like' : 'free'
}

function ownIndex(input: ListInput, names: readonly string[], column: OptOutColumn | undefined): number {
  if (column === undefined) return -1
  return input.format === 'csv' ? csvColumn(input, column).index : names.indexOf(String(column.column))
}

/** Patterns for the values of a whole row with such a key: checking each field takes ten times as long. */
const LIKELY: Readonly<Record<(typeof FORMED_SIGNALS)[number] | 'ADDRESS', string>> = {
  EMAIL: String.raw`@|%40|&#|&commat|[^\x00-\x7f]|\\u|[0-9A-Fa-f]{32}`,
  IP: String.raw`[0-9]\.[0-9]|:|[^\x00-\x7f]|\\u|[0-9A-Fa-f]{32}`,
  IDFA: String.raw`[^\x00-\x7f]|\\u|[0-9A-Fa-f-]{32}`,
  AAID: String.raw`[^\x00-\x7f]|\\u|[0-9A-Fa-f-]{32}`,
  STBID: String.raw`[^\x00-\x7f]|\\u|[0-9A-Fa-f-]{32}`,
  ADDRESS: '[0-9A-Fa-f]{64}',
}

interface Cells {
  readonly pattern: string | undefined
  readonly column: OptOutColumn | undefined
}

function isLikely(text: string, { pattern }: Cells): string {
  return pattern === undefined ? 'true' : `regexp_matches(${text}, ${literal(pattern)})`
}

/** The relation (col, field, alone): the fields of CSV. `alone`: the row has no value in the column that is read. */
function csvCells(
  input: ListInput & { format: 'csv' },
  { numbers, ...cells }: Cells & { numbers: readonly number[] },
): string {
  const { column } = cells
  const { index, hasHeader } = column === undefined ? { index: undefined, hasHeader: true } : csvColumn(input, column)
  const fields = numbers.map((at) => `c${at}`)
  return `SELECT unnest([${fields.map(unquoted).join(', ')}]) AS field,
    unnest([${numbers.map((at) => literal(String(at))).join(', ')}]) AS col,
    ${index === undefined ? 'true' : isBlankRow(`c${index + 1}`)} AS alone
    FROM ${csvRelation(input.path, input.dialect, { hasHeader })} WHERE ${isLikely(`concat_ws(' ', ${fields.join(', ')})`, cells)}`
}

/** Removes quotes from both ends of a field, so that stray quotes do not hide a key. */
function unquoted(field: string): string {
  return `CASE WHEN contains(${field}, '''') OR contains(${field}, '"') THEN regexp_replace(${field}, '^[\\s''"]+|[\\s''"]+$', '', 'g') ELSE ${field} END`
}

/** The relation (col, field, alone) for NDJSON and Parquet: every text and number at any depth, and every name. */
function jsonCells(input: ListInput, cells: Cells): string {
  const { column } = cells
  const lines =
    input.format === 'parquet'
      ? `(SELECT to_json(whole) AS line FROM ${parquetRelation([input.path])} AS whole)`
      : `(SELECT CASE WHEN json_valid(line) THEN line END AS line FROM ${linesRelation(input.path)})`
  const own =
    column === undefined ? `''` : `coalesce(json_extract_string(line, ${fieldPointer(String(column.column))}), '')`
  return `SELECT outermost.key AS col, alone, unnest([inner_.atom->>'$', inner_.key::VARCHAR, outermost.key]) AS field
    FROM (SELECT line, ${isBlankRow('own')} AS alone FROM (SELECT line, ${own} AS own FROM ${lines})
      WHERE ${isLikely(`replace(line::VARCHAR, own, '')`, cells)}),
      json_each(line) AS outermost, json_tree(outermost.value) AS inner_`
}
