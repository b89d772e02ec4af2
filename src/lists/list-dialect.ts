import type { FileSignal } from '../contract/enumerations.ts'
import { isFormed } from '../contract/signal-key.ts'
import { type CsvDialect, csvDialect, type Delimiter } from './csv-dialect.ts'
import { isHeaderField } from './header-field.ts'

/**
 * How a list is written. If any text can be a key and no header names the columns, a character in the keys can look
 * like a delimiter. In that case, only the document can name the delimiter.
 */
export function listDialect(
  text: string,
  {
    column,
    signal,
    delimiter,
  }: {
    readonly column?: string | number | undefined
    readonly signal: FileSignal
    readonly delimiter?: Delimiter | undefined
  },
): CsvDialect {
  const dialect = csvDialect(text, delimiter)
  if (delimiter !== undefined || isFormed(signal) || typeof column !== 'number') return dialect
  return isHeaderField(signal, dialect.first[column - 1] ?? '') ? dialect : csvDialect(text, 'none')
}
