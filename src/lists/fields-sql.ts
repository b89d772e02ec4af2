import type { FileSignal } from '../contract/enumerations.ts'
import { composedSql, trimmedSql } from '../contract/normalise-sql.ts'
import { composedText, trimmedText } from '../contract/visible-text.ts'
import { type AudienceError, failedError } from '../core/errors.ts'
import { count } from '../core/format/figures.ts'
import { identifier, literal } from '../platform/sql-text.ts'
import { csvRelation, linesRelation } from './csv-relation.ts'
import { isHeaderField } from './header-field.ts'
import { unreadable } from './list-errors.ts'
import type { ListInput } from './list-input.ts'
import { isTextual, parquetColumns, parquetRelation } from './parquet-relation.ts'
import type { Sandbox } from './sandbox.ts'

/** A value that is not blank and cannot be a key of any signal. */
const BAD = 'chr(0)'

/**
 * SQL for a value of a CSV file. A value that is still in quotes is bad, because the file does not quote all values the
 * same way.
 */
export function withoutQuotes(field: string): string {
  return `CASE WHEN regexp_full_match(${field}, ${literal(IN_QUOTES)}) THEN ${BAD} ELSE ${field} END`
}

const IN_QUOTES = `(?s)\\s*(?:'.*'|".*")\\s*`

/** SQL for the relation (field): the column of an input, as text. */
export async function fieldsSql(
  input: ListInput,
  { column, signal }: { column: string | number; signal: FileSignal },
  sandbox: Sandbox,
): Promise<string> {
  switch (input.format) {
    case 'csv': {
      const { index, hasHeader } = csvColumn(input, { column, signal })
      return `SELECT ${withoutQuotes(`c${index + 1}`)} AS field FROM ${csvRelation(input.path, input.dialect, { hasHeader })}`
    }
    case 'ndjson':
      return jsonFields(input, column)
    case 'parquet': {
      const relation = parquetRelation([input.path])
      const columns = await parquetColumns(sandbox, input.path)
      const index = indexIn(
        input,
        columns.map(({ name }) => name),
        column,
      )
      const found = columns[index]
      if (found === undefined) throw noColumn(input, column, columns.length)
      if (!isTextual(found.type)) throw notText(input, found.name, found.type)
      return `SELECT CAST(${identifier(found.column)} AS VARCHAR) AS field FROM ${relation}`
    }
  }
}

/** Where a CSV file has a column, and whether its first record names the columns. Throws if there is no such column. */
export function csvColumn(
  input: ListInput & { format: 'csv' },
  { column, signal }: { column: string | number; signal: FileSignal },
): { readonly index: number; readonly hasHeader: boolean } {
  const { first } = input.dialect
  const index = indexIn(input, first, column)
  const name = first[index]
  if (name === undefined && input.cut !== undefined) throw unreadable(input.given, input.cut)
  if (name === undefined) throw noColumn(input, column, first.length)
  return { index, hasHeader: typeof column === 'string' || isHeaderField(signal, name) }
}

/**
 * SQL for a string or a whole number at the top level of an object. Every other value is bad. So is a line that is not
 * an object, or an object with two fields of that name, because nobody can tell which of the two is the person's.
 */
function jsonFields(input: ListInput, column: string | number): string {
  if (typeof column === 'number') throw noColumn(input, column, 0)
  const named = (isOwn: string) => `list_filter(json_keys(line), lambda name: ${isOwn})`
  const alike = named(`${plainNameSql('name')} = ${literal(plainName(column))}`)
  const value = `json_extract(line, '/' || replace(replace(own[1], '~', '~0'), '/', '~1'))`
  const lines = `(SELECT CASE WHEN json_valid(line) THEN line END AS line FROM ${linesRelation(input.path)} WHERE ${trimmedSql('line')} <> '')`
  return `SELECT CASE WHEN json_type(line) IS DISTINCT FROM 'OBJECT' OR len(own) > 1 THEN ${BAD}
      WHEN coalesce(json_type(value), 'NULL') = 'NULL' THEN NULL
      WHEN json_type(value) IN ('VARCHAR', 'UBIGINT', 'BIGINT') THEN value->>'$'
      ELSE ${BAD} END AS field
    FROM (SELECT line, own, ${value} AS value
    FROM (SELECT line, CASE WHEN len(exact) > 0 THEN exact ELSE ${alike} END AS own
    FROM (SELECT line, ${named(`name = ${literal(column)}`)} AS exact FROM ${lines})))`
}

/** The location of a field at the top level of an object, as SQL: a JSON pointer (RFC 6901). */
export function fieldPointer(name: string): string {
  return literal(`/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
}

/**
 * The names of the columns of an input. For a CSV file, they are the fields of its first record, even if that is not a
 * header. For NDJSON, they are the names in all objects.
 */
export async function columnNames(input: ListInput, sandbox: Sandbox): Promise<readonly string[]> {
  if (input.format === 'csv') return input.dialect.first
  if (input.format === 'parquet') return (await parquetColumns(sandbox, input.path)).map(({ column }) => column)
  const names = await sandbox.rows(
    `SELECT DISTINCT unnest(json_keys(line)) AS name FROM ${linesRelation(input.path)} WHERE json_valid(line) ORDER BY name`,
  )
  return names.map(({ name }) => String(name))
}

/**
 * Finds a column by its number, by its exact name, or by a name that differs only in case, outer blanks or invisible
 * characters; -1 if there is none.
 */
function indexIn(input: ListInput, names: readonly string[], column: string | number): number {
  if (typeof column === 'number') return column - 1
  const exact = names.flatMap((name, index) => (name === column ? [index] : []))
  const alike = names.flatMap((name, index) => (plainName(name) === plainName(column) ? [index] : []))
  const [found = -1, ...more] = exact.length > 0 ? exact : alike
  if (more.length > 0)
    throw manyColumns(
      input.given,
      column,
      more.length + 1,
      'give each a different name, or give the number of the column',
    )
  return found
}

/** The plain form of a column's name. It is the same for all accepted spellings of the name. */
export function plainName(name: string): string {
  return composedText(trimmedText(name)).toLowerCase()
}

/** The same in SQL; `name` is an expression. */
export function plainNameSql(name: string): string {
  return `lower(${composedSql(trimmedSql(name))})`
}

/** The error if a file has several columns of the requested name. */
export function manyColumns(given: string, column: string, count: number, hint: string): AudienceError {
  return failedError('list-no-column', `${given} has ${count} columns named "${column}"`, hint)
}

/** The message does not list the names, because in a file without a header they could be data about people. */
function noColumn({ given, format }: ListInput, column: string | number, columns: number): AudienceError {
  const has =
    format === 'ndjson' ? 'the fields of its objects have names, not numbers' : `it has ${count(columns, 'column')}`
  return failedError(
    'list-no-column',
    `${given} has no column ${typeof column === 'number' ? column : `"${column}"`}: ${has}`,
    'give the name of the column in the header or, if there is no header, its number, counted from 1',
  )
}

function notText({ given }: ListInput, column: string, type: string): AudienceError {
  return failedError(
    'list-column-type',
    `column "${column}" of ${given} is ${type}, but keys are text or whole numbers`,
    'write the column as text, or convert it to text with sql',
  )
}
