import { isUtf8 } from 'node:buffer'
import { isBlank } from '../contract/signal-key.ts'
import { linesOf } from './copy-records.ts'
import { type CsvDialect, readRecord, recordFields } from './csv-dialect.ts'
import { csvColumn } from './fields-sql.ts'
import type { ListInput } from './list-input.ts'
import { isAllowed, type OptOutColumn } from './opt-out-column.ts'

/** An unusable line of an opt-out list. */
export interface UnusableLine {
  /** Its number. */
  readonly line: number
  /** It opens a quote and does not close it. */
  readonly isOpen: boolean
}

/**
 * In an opt-out list, the first line that is not one record with a key or a blank in the column; undefined if it is not
 * found. Only called to report an error.
 */
export async function firstUnusableLine(
  input: ListInput,
  optOut: OptOutColumn,
  signal: AbortSignal,
): Promise<UnusableLine | undefined> {
  if (input.format === 'parquet') return undefined
  const isKey = (field: string) => isBlank(field) || isAllowed(optOut, field)
  const { isUsable, isOpen, from } =
    input.format === 'csv' ? csvLines(input, optOut, isKey) : { ...jsonLines(optOut, isKey), from: 0 }
  let number = 0
  for await (const lines of linesOf(input.path, signal)) {
    for (const line of lines) {
      number += 1
      if (number <= from) continue
      const bytes = Buffer.from(line, 'latin1')
      const text = bytes.toString().replace(/^\ufeff+/, '')
      if (!isUtf8(bytes) || !(isBlank(text) || isUsable(text))) return { line: number, isOpen: isOpen(text) }
    }
  }
  return undefined
}

function csvLines(
  input: ListInput & { readonly dialect: CsvDialect; readonly format: 'csv' },
  optOut: OptOutColumn,
  isKey: (field: string) => boolean,
) {
  const { dialect } = input
  const { index, hasHeader } = csvColumn(input, optOut)
  const stateOf = (line: string) => readRecord(line, dialect, { state: 'field', at: 0 }).state
  return {
    from: dialect.before + (hasHeader ? dialect.lines : 0),
    isUsable: (line: string) => {
      const fields = recordFields(line, dialect)
      return stateOf(line) === 'closed' && fields.length === dialect.first.length && isKey(fields[index] ?? '')
    },
    isOpen: (line: string) => stateOf(line) === 'quoted',
  }
}

function jsonLines({ column }: OptOutColumn, isKey: (field: string) => boolean) {
  return {
    isUsable: (line: string) => {
      try {
        const value: unknown = JSON.parse(line)
        if (typeof value !== 'object' || value === null || !(column in value)) return false
        const field: unknown = Object.entries(value).find(([name]) => name === column)?.[1] ?? ''
        return isKey(String(field))
      } catch {
        return false
      }
    },
    isOpen: () => false,
  }
}
