import { trimmedSql } from '../contract/normalise-sql.ts'
import { literal, oneFile } from '../platform/sql-text.ts'
import { MAX_RECORD } from './copy-records.ts'
import type { CsvDialect } from './csv-dialect.ts'

/** By default, DuckDB allocates 32 MB two or three times for every file. It only needs room for four lines. */
const IN_PARTS = `max_line_size = ${MAX_RECORD}, buffer_size = ${4 * MAX_RECORD}`

/**
 * A CSV file as a relation with the text columns c1, c2, …, without blank lines. Lines that cannot be read are left out
 * and listed in `reject_errors`.
 */
export function csvRelation(
  path: string,
  { delimiter, quote, escapeMark, first, before, lines }: CsvDialect,
  { hasHeader }: { hasHeader: boolean },
): string {
  const columns = first.map((_, index) => `'c${index + 1}': 'VARCHAR'`).join(', ')
  const relation = `read_csv(${literal(oneFile(path))}, auto_detect = false, columns = {${columns}}, delim = ${literal(delimiter)},
    quote = ${literal(quote)}, escape = ${literal(escapeMark)}, skip = ${before + (hasHeader ? lines : 0)}, header = false,
    compression = 'none', nullstr = '', allow_quoted_nulls = false, strict_mode = true, ${IN_PARTS}, store_rejects = true)`
  return first.length > 1 ? relation : `(FROM ${relation} WHERE ${isRow('c1')})`
}

/**
 * SQL that tests whether a line of a file with one column is a row. A blank line is not a row; empty quotes are one.
 * Most rows begin with a visible ASCII character, so that is tested first.
 */
function isRow(field: string): string {
  return `CASE WHEN ${field} >= '!' AND ${field} < chr(127) THEN true ELSE ${field} = '' OR ${trimmedSql(field)} <> '' END`
}

/**
 * The lines of a file as a relation (line), without the byte order marks that begin a line where files were joined. The
 * delimiter is U+10FFFF, which is not a character.
 */
export function linesRelation(path: string): string {
  const mark = `'\ufeff'`
  return `(SELECT CASE WHEN starts_with(line, ${mark}) THEN ltrim(line, ${mark}) ELSE line END AS line
    FROM read_csv(${literal(oneFile(path))}, auto_detect = false, columns = {'line': 'VARCHAR'}, delim = '\u{10FFFF}',
    quote = '', escape = '', skip = 0, header = false, compression = 'none', strict_mode = false, ${IN_PARTS}, store_rejects = true))`
}
