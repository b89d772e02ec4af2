import { isUtf8 } from 'node:buffer'
import { isBlank } from '../contract/signal-key.ts'
import { linesOfFile } from './copy-records.ts'
import { readRecord, recordFields } from './csv-dialect.ts'
import { csvColumn } from './fields-sql.ts'
import type { ListInput } from './list-input.ts'
import { isAllowed, type OptOutColumn } from './opt-out-column.ts'

// Finds the line that an error names. These functions are only called to report an error.

/** An unusable line of an opt-out list. */
export interface UnusableLine {
  /** Its number. */
  readonly line: number
  /** It opens a quote and does not close it. */
  readonly isOpen: boolean
}

/**
 * The number of the first line on which `isSuch` is true for the field in a column; undefined if there is none, or if
 * the file has no lines. `column`: its number or, for NDJSON, the name of the field.
 */
export async function firstLineWith(
  input: ListInput,
  column: number | string,
  isSuch: (field: string) => boolean,
  signal: AbortSignal,
): Promise<number | undefined> {
  const fields = (text: string) =>
    input.format === 'csv'
      ? [recordFields(text, input.dialect)[Number(column) - 1] ?? '']
      : jsonTexts(text, String(column))
  const from = input.format === 'csv' ? input.dialect.before : 0
  for await (const { line, text, isText } of numberedLines(input, from, signal)) {
    if (isText && fields(text).some(isSuch)) return line
  }
  return undefined
}

/**
 * In an opt-out list, the first line that is not one record with a key or a blank in the column; undefined if it is not
 * found.
 */
export async function firstUnusableLine(
  input: ListInput,
  optOut: OptOutColumn,
  signal: AbortSignal,
): Promise<UnusableLine | undefined> {
  const isKey = (field: string) => isBlank(field) || isAllowed(optOut, field)
  const { isUsable, isOpen, from } = input.format === 'csv' ? csvLines(input, optOut, isKey) : jsonLines(optOut, isKey)
  for await (const { line, text, isText } of numberedLines(input, from, signal)) {
    const unmarked = text.replace(/^\ufeff+/, '')
    if (!isText || !(isBlank(unmarked) || isUsable(unmarked))) return { line, isOpen: isOpen(unmarked) }
  }
  return undefined
}

/** The lines of a file after the first `from` lines, with their numbers. A Parquet file has no lines. */
async function* numberedLines({ format, path }: ListInput, from: number, signal: AbortSignal) {
  if (format === 'parquet') return
  let line = 0
  for await (const lines of linesOfFile(path, signal)) {
    for (const latin1 of lines) {
      line += 1
      if (line <= from) continue
      const bytes = Buffer.from(latin1, 'latin1')
      yield { line, text: bytes.toString(), isText: isUtf8(bytes) }
    }
  }
}

function csvLines(input: ListInput & { format: 'csv' }, optOut: OptOutColumn, isKey: (field: string) => boolean) {
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
    from: 0,
    isUsable: (line: string) => jsonField(line, String(column)).some((field) => isKey(String(field ?? ''))),
    isOpen: () => false,
  }
}

/** The strings, numbers and names in a field of an object. */
function jsonTexts(line: string, name: string): readonly string[] {
  return jsonField(line, name).flatMap((inner) => [name, ...textsIn(inner)])
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [String(value)]
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsIn(inner)])
}

/** The value of a field of an object; nothing if the line is not an object with that field. */
function jsonField(line: string, name: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(line)
    const fields = typeof value === 'object' && value !== null ? Object.entries(value) : []
    return fields.filter(([key]) => key === name).map(([, field]) => field)
  } catch {
    return []
  }
}
