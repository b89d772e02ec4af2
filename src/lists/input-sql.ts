import { BLANKS, normaliseKey } from '../contract/normalise-key.ts'
import { AudienceError } from '../core/errors.ts'
import { identifier, literal, oneFile } from '../platform/sql-text.ts'
import type { CsvDialect } from './csv-dialect.ts'
import type { ListInput } from './list-input.ts'
import type { FileSignal } from './list-request.ts'

/** SQL for the relation (field): the column of every input, as text. */
export function fieldsSql(inputs: readonly ListInput[], column: string | number, signal: FileSignal): string {
  return inputs.map((input) => csvFields(input, column, signal)).join(' UNION ALL ')
}

function csvFields({ path, dialect }: ListInput, column: string | number, signal: FileSignal): string {
  const index = typeof column === 'number' ? column - 1 : indexOf(dialect.first, column)
  const field = index < 0 ? undefined : dialect.first[index]
  if (field === undefined) throw noColumn(path, column, dialect.first.length)
  const hasHeader = typeof column === 'string' || isHeader(field, signal)
  const names = dialect.first.map((_, at) => `c${at + 1}`)
  return `SELECT ${names[index]} AS field FROM ${csvRelation(path, dialect, { names, hasHeader })}`
}

/** Whether the first value of a column is its name. */
function isHeader(field: string, signal: FileSignal): boolean {
  const name = field.toLowerCase().replace(/[^a-z0-9]/g, '')
  const names = ['id', 'key', 'value', 'signal', signal.toLowerCase().replaceAll('_', '')]
  return normaliseKey(signal, field) === undefined || names.includes(name)
}

/** Lines that cannot be read are left out and listed in `reject_errors`. */
function csvRelation(
  path: string,
  { delimiter, quote, escapeMark, before, lines }: CsvDialect,
  { names, hasHeader }: { readonly names: readonly string[]; readonly hasHeader: boolean },
): string {
  const columns = names.map((name) => `${identifier(name)}: 'VARCHAR'`).join(', ')
  return `read_csv(${literal(oneFile(path))}, auto_detect = false, columns = {${columns}}, delim = ${literal(delimiter)},
    quote = ${literal(quote)}, escape = ${literal(escapeMark)}, skip = ${before + (hasHeader ? lines : 0)}, header = false,
    compression = 'none', nullstr = '', strict_mode = true, store_rejects = true)`
}

/** By its exact name, or by the only one that differs just in case and blanks. */
function indexOf(names: readonly string[], name: string): number {
  const exact = names.indexOf(name)
  if (exact >= 0) return exact
  const plain = (text: string) => text.trim().toLowerCase()
  const [found = -1, ...more] = names.flatMap((other, index) => (plain(other) === plain(name) ? [index] : []))
  return more.length === 0 ? found : -1
}

function noColumn(path: string, column: string | number, count: number): AudienceError {
  const which = typeof column === 'number' ? `column ${column}` : `a column "${column}"`
  return new AudienceError({
    code: 'list-no-column',
    kind: 'failed',
    message: `${path} has no ${which.replace(/^a /, '')}: its first line has ${count} ${count === 1 ? 'field' : 'fields'}`,
    hint: 'column: takes a name from the header, or the number of the column, from 1, where the file has no header',
  })
}

/** SQL for whether a value is nothing but blanks. */
export function isBlankSql(field: string): string {
  return `coalesce(trim(${field}, ${literal(BLANKS)}), '') = ''`
}
