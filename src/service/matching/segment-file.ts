import { open } from 'node:fs/promises'
import type { Signal } from '../../contract/enumerations.ts'
import { normaliseKey } from '../../contract/normalise-key.ts'
import { firstFieldOf, isColumnWord, QUOTED_FIELD } from '../../contract/signal-key.ts'
import { trimmedText } from '../../contract/visible-text.ts'

/** No segment can be made from the file. The job fails with this reason. */
export class SegmentFileError extends Error {
  override readonly name = 'SegmentFileError'
  readonly reason: 'empty' | 'not-utf8' | 'no-usable-key'

  constructor(reason: SegmentFileError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

const PREFIX_BYTES = 64 * 1024

/**
 * The number of lines before the data: blank lines, and a header if there is one. The first line is a header if its key
 * is not a valid key of the signal. It is also a header if its key is the name of a column, because ids and addresses
 * can be any text.
 */
export async function leadingLines(file: string, signal: Signal): Promise<number> {
  const prefix = await prefixOf(file)
  if (prefix[0] === 0xff || prefix[0] === 0xfe) {
    throw new SegmentFileError('not-utf8', 'the file is not UTF-8; it begins like UTF-16')
  }
  const lines = new TextDecoder().decode(prefix).split(/\r\n|\n|\r/)
  const first = lines.findIndex((line) => trimmedText(line) !== '')
  const line = lines[first]
  if (line === undefined) return 0
  return isHeader(line, signal) ? first + 1 : first
}

function isHeader(line: string, signal: Signal): boolean {
  const field = firstFieldOf(line)
  // A line that is not UTF-8 counts as a bad row.
  if (field === undefined || line.includes('\ufffd')) return false
  return normaliseKey(signal, field) === undefined || isColumnWord(signal, field)
}

async function prefixOf(path: string): Promise<Uint8Array> {
  await using file = await open(path, 'r')
  const { buffer, bytesRead } = await file.read(new Uint8Array(PREFIX_BYTES), 0, PREFIX_BYTES, 0)
  return buffer.subarray(0, bytesRead)
}

/**
 * These functions read a line of an uploaded file in SQL as `firstFieldOf` does in JavaScript (decision 113). Each line
 * is a record. An unclosed quote breaks only its own line, and a quoted field cannot contain a line break.
 */

/** SQL for the first field, without its quotes; empty if its quotes are broken. */
export function firstFieldSql(row: string): string {
  return `CASE WHEN starts_with(${row}, chr(65279)) THEN ${fieldSql(`ltrim(${row}, chr(65279))`)} ELSE ${fieldSql(row)} END`
}

function fieldSql(line: string): string {
  const quoted = `replace(regexp_extract(${line}, '${QUOTED_FIELD.source}', 1), '""', '"')`
  return `CASE WHEN starts_with(${line}, '"') THEN ${quoted} ELSE split_part(${line}, ',', 1) END`
}

/** SQL for the second field, without its quotes; empty if there is none. */
export function secondFieldSql(line: string): string {
  const rest = `regexp_extract(${line}, '^(?:"(?:[^"]|"")*"[ \\t]*|[^",][^,]*)?,(.*)$', 1)`
  return fieldSql(rest)
}

/**
 * The lines of a file as a relation with one column, `line`. The field separator is U+10FFFF, which is not a character,
 * so each line is one field. Lines that are too long or not UTF-8 are left out and listed in `reject_errors`.
 */
export function csvLinesRelation(file: string, skip: number): string {
  return `read_csv(${file}, columns = {'line': 'VARCHAR'}, auto_detect = false, compression = 'none', header = false,
    skip = ${skip}, delim = '\u{10FFFF}', quote = '', escape = '', strict_mode = false, store_rejects = true)`
}
