import { join } from 'node:path'
import type { FileSignal } from '../contract/enumerations.ts'
import { trimmedSql } from '../contract/normalise-sql.ts'
import { isBlank, isFormed, isKeyOf } from '../contract/signal-key.ts'
import { AudienceError } from '../core/errors.ts'
import { copyRecords, type RowKeys } from './copy-records.ts'
import { csvColumn } from './fields-sql.ts'
import { isPlainCsv } from './is-plain-csv.ts'
import { unreadable } from './list-errors.ts'
import type { ListInput, Workplace } from './list-input.ts'
import type { Sandbox } from './sandbox.ts'

/** The files that a sandbox needs for `readInputs`: the inputs, and copies that it may have to make. */
export function filesToRead(inputs: readonly ListInput[], folder: string): readonly string[] {
  return inputs.flatMap((input) => [input.path, copyOf(input, folder)])
}

/**
 * Runs `read`, which reads inputs with statements, and returns how many lines could not be read. If a line of a CSV
 * file might not be one record, or if DuckDB gives up, `read` gets a copy of whole records.
 */
export async function readListInputs(
  sandbox: Sandbox,
  inputs: readonly ListInput[],
  { folder, signal, keys }: Pick<Workplace, 'folder' | 'signal'> & { keys: KeyColumn },
  read: (inputs: readonly ListInput[]) => Promise<void>,
): Promise<number> {
  // This process checks the quotes while DuckDB reads. Doing one after the other would take a tenth longer.
  const [reading, looking] = await Promise.allSettled([
    firstReading(sandbox, inputs, read),
    plainInputs(inputs, signal),
  ])
  if (reading.status === 'rejected') throw reading.reason
  if (looking.status === 'rejected') throw looking.reason
  const { failure, isRead, unread } = reading.value
  const whole = looking.value
  // If the query itself is wrong, a copy would change nothing.
  if (failure?.code === 'list-sql' && inputs.every((input) => whole.has(input))) throw failure
  if (isRead && inputs.every((input) => whole.has(input))) return unread
  let left = 0
  const copies: ListInput[] = []
  for (const input of inputs) {
    const isKept = input.format !== 'csv' || (isRead && whole.has(input))
    copies.push(isKept ? input : await copy(input))
  }
  await read(copies)
  return left + (await takeRejects(sandbox)).lines

  async function copy(input: CsvInput): Promise<ListInput> {
    const path = copyOf(input, folder)
    left += await copyRecords(input.path, path, { dialect: input.dialect, keys: rowKeysOf(input, keys), signal })
    return { ...input, path, dialect: { ...input.dialect, before: 0, lines: 0 } }
  }
}

/** The inputs that DuckDB reads as they are. */
async function plainInputs(inputs: readonly ListInput[], signal: AbortSignal): Promise<ReadonlySet<ListInput>> {
  const plain = new Set<ListInput>()
  for (const input of inputs) {
    if (input.format !== 'csv' || (await isPlainCsv(input.path, input.dialect, signal))) plain.add(input)
  }
  return plain
}

/** Where the keys are. Without a column, they may be anywhere in a file with a header. */
export interface KeyColumn {
  readonly column: string | number | undefined
  readonly signal: FileSignal
}

type CsvInput = ListInput & { readonly format: 'csv' }

/** Throws if the header has lines that may be rows, because a lost quote in it would drop people from the list. */
function rowKeysOf(input: CsvInput, { column, signal }: KeyColumn): RowKeys {
  const isKey = (field: string) => isKeyOf(signal, field)
  const { index, hasHeader } =
    column === undefined ? { index: undefined, hasHeader: true } : csvColumn(input, { column, signal })
  if (hasHeader) checkHeader(input, isFormed(signal) ? isKey : () => false)
  return {
    hasHeader,
    keyFields: (fields) => (index === undefined ? fields : [fields[index] ?? '']),
    isLikeKey: (field) =>
      isKey(field) ||
      (signal === 'EMAIL' && field.includes('@')) ||
      (index !== undefined && input.dialect.first.length > 1 && isBlank(field)),
  }
}

function checkHeader({ given, dialect }: CsvInput, isKey: (field: string) => boolean): void {
  const { first, delimiter } = dialect
  const inner = first.flatMap((field) => field.split(/[\r\n]+/).slice(1)).map((line) => line.split(delimiter))
  if (inner.some((fields) => fields.length >= first.length || fields.some(isKey)))
    throw unreadable(given, 'its header leaves a quote open', 'close the quote in its first line')
}

function copyOf({ name }: ListInput, folder: string): string {
  return join(folder, `${name}.closed`)
}

/** Whether the inputs could be read as they are, and how many of their lines could not. */
async function firstReading(
  sandbox: Sandbox,
  inputs: readonly ListInput[],
  read: (inputs: readonly ListInput[]) => Promise<void>,
): Promise<{ readonly failure: AudienceError | undefined; readonly isRead: boolean; readonly unread: number }> {
  let failure: AudienceError | undefined
  try {
    await read(inputs)
  } catch (error) {
    // DuckDB gives up on mixed line endings, even within a query.
    const isCsv = inputs.some(({ format }) => format === 'csv')
    if (!isCsv || !(error instanceof AudienceError) || !['list-unreadable', 'list-sql'].includes(error.code))
      throw error
    failure = error
  }
  const { lines, openQuotes } = await takeRejects(sandbox)
  return { failure, isRead: failure === undefined && openQuotes === 0, unread: lines }
}

/** DuckDB keeps only this much of a line that it could not read. */
const KEPT_LENGTH = 10_000

/**
 * Counts the lines that could not be read since the last call. Each line counts once, even if a query read it several
 * times. A blank line is not a row. `openQuotes`: the records that may be several lines, joined by an unclosed quote.
 */
async function takeRejects(sandbox: Sandbox): Promise<{ readonly lines: number; readonly openQuotes: number }> {
  // DuckDB makes this table in the first scan that keeps rejected lines. For most files there is none.
  const [all] = await sandbox.rowsIfAny('SELECT count(*) AS n FROM reject_errors')
  if (Number(all?.n ?? 0) === 0) return { lines: 0, openQuotes: 0 }
  const [row] = await sandbox.rows(`SELECT count(DISTINCT (file_path, line))
      FILTER (csv_line IS NULL OR ${trimmedSql('csv_line')} <> '') AS lines,
    count(*) FILTER (error_type IN ('UNQUOTED VALUE', 'LINE SIZE OVER MAXIMUM')
      AND (length(csv_line) >= ${KEPT_LENGTH} OR regexp_matches(csv_line, '[\\r\\n]'))) AS open_quotes
    FROM reject_errors JOIN reject_scans USING (scan_id, file_id)`)
  await sandbox.run('DROP TABLE reject_errors; DROP TABLE reject_scans')
  return { lines: Number(row?.lines), openQuotes: Number(row?.open_quotes) }
}
