import { isUtf8 } from 'node:buffer'
import { linesOf } from './copy-records.ts'
import { recordFields } from './csv-dialect.ts'
import type { ListInput } from './list-input.ts'

/**
 * The number of the first line on which `isSuch` is true for the field in a column; undefined if there is none, or if
 * the file has no lines. `column`: its number or, for NDJSON, the name of the field. Only called to report an error.
 */
export async function firstLineWith(
  input: ListInput,
  column: number | string,
  isSuch: (field: string) => boolean,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (input.format === 'parquet') return undefined
  const fields = (line: string) =>
    input.format === 'csv'
      ? [recordFields(line, input.dialect)[Number(column) - 1] ?? '']
      : jsonTexts(line, String(column))
  const from = input.format === 'csv' ? input.dialect.before : 0
  let number = 0
  for await (const lines of linesOf(input.path, signal)) {
    for (const line of lines) {
      number += 1
      const bytes = Buffer.from(line, 'latin1')
      if (number > from && isUtf8(bytes) && fields(bytes.toString()).some(isSuch)) return number
    }
  }
  return undefined
}

/** The strings, numbers and names in a field of an object. */
function jsonTexts(line: string, name: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(line)
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
    return entries.filter(([key]) => key === name).flatMap(([key, inner]) => [key, ...textsIn(inner)])
  } catch {
    return []
  }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [String(value)]
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsIn(inner)])
}
