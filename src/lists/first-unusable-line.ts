import { isUtf8 } from 'node:buffer'
import { isBlank } from '../contract/signal-key.ts'
import { linesOf } from './copy-records.ts'
import { type CsvDialect, readRecord, recordFields } from './csv-dialect.ts'
import { csvColumn } from './fields-sql.ts'
import type { ListInput } from './list-input.ts'
import { isAllowed, type OptOutColumn } from './opt-out-column.ts'

/**
 * The number of the first line of an opt-out list that is not one record with a key or a blank in the column; undefined
 * if it is not found. It is called for an error only.
 */
export async function firstUnusableLine(
  input: ListInput,
  optOut: OptOutColumn,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (input.format === 'parquet') return undefined
  const isKey = (field: string) => isBlank(field) || isAllowed(optOut, field)
  const { isUsable, from } =
    input.format === 'csv' ? csvLines(input, optOut, isKey) : { isUsable: jsonLine(optOut, isKey), from: 0 }
  let number = 0
  for await (const lines of linesOf(input.path, signal)) {
    for (const line of lines) {
      number += 1
      if (number <= from) continue
      const bytes = Buffer.from(line, 'latin1')
      const text = bytes.toString().replace(/^\ufeff+/, '')
      if (!isUtf8(bytes) || !(isBlank(text) || isUsable(text))) return number
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
  return {
    from: dialect.before + (hasHeader ? dialect.lines : 0),
    isUsable: (line: string) => {
      const fields = recordFields(line, dialect)
      const isWhole = readRecord(line, dialect, { state: 'field', at: 0 }).state === 'closed'
      return isWhole && fields.length === dialect.first.length && isKey(fields[index] ?? '')
    },
  }
}

function jsonLine({ column }: OptOutColumn, isKey: (field: string) => boolean) {
  return (line: string) => {
    try {
      const value: unknown = JSON.parse(line)
      if (typeof value !== 'object' || value === null || !(column in value)) return false
      const field: unknown = Object.entries(value).find(([name]) => name === column)?.[1] ?? ''
      return isKey(String(field))
    } catch {
      return false
    }
  }
}
