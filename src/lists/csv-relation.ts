import { literal, oneFile } from '../platform/sql-text.ts'
import type { CsvDialect } from './csv-dialect.ts'

/**
 * A CSV file as a relation of texts with the columns c1, c2, …. Lines that cannot be read are left out and listed in
 * `reject_errors`.
 */
export function csvRelation(
  path: string,
  { delimiter, quote, escapeMark, first, before, lines }: CsvDialect,
  { hasHeader }: { readonly hasHeader: boolean },
): string {
  const columns = first.map((_, index) => `'c${index + 1}': 'VARCHAR'`).join(', ')
  return `read_csv(${literal(oneFile(path))}, auto_detect = false, columns = {${columns}}, delim = ${literal(delimiter)},
    quote = ${literal(quote)}, escape = ${literal(escapeMark)}, skip = ${before + (hasHeader ? lines : 0)}, header = false,
    compression = 'none', nullstr = '', strict_mode = true, store_rejects = true)`
}

/** The lines of a file as a relation (line). The delimiter is U+10FFFF, which is not a character. */
export function linesRelation(path: string): string {
  return `read_csv(${literal(oneFile(path))}, auto_detect = false, columns = {'line': 'VARCHAR'}, delim = '\u{10FFFF}',
    quote = '', escape = '', skip = 0, header = false, compression = 'none', strict_mode = false, store_rejects = true)`
}
