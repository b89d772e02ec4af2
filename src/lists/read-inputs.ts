import { join } from 'node:path'
import { AudienceError } from '../core/errors.ts'
import { copyClosed } from './close-quotes.ts'
import type { ListInput, Workplace } from './list-input.ts'
import type { Sandbox } from './sandbox.ts'

/** The files that a sandbox needs for `readInputs`: the inputs, and the copies that it may have to make. */
export function filesToRead(inputs: readonly ListInput[], folder: string): readonly string[] {
  return inputs.flatMap((input) => [input.path, copyOf(input, folder)])
}

/**
 * Runs `read`, which reads inputs by statements, and returns the number of lines that could not be read. If an open
 * quote swallowed lines, or line ends are mixed, `read` runs again on copies without open quotes and with one line end.
 */
export async function readInputs(
  sandbox: Sandbox,
  inputs: readonly ListInput[],
  { folder, signal }: Workplace,
  read: (inputs: readonly ListInput[]) => Promise<void>,
): Promise<number> {
  if (await isReadable(sandbox, inputs, read)) return takeUnread(sandbox)
  await takeUnread(sandbox)
  let open = 0
  const closed: ListInput[] = []
  for (const input of inputs) {
    if (input.format !== 'csv') {
      closed.push(input)
      continue
    }
    const path = copyOf(input, folder)
    open += await copyClosed(input.path, path, { dialect: input.dialect, signal })
    closed.push({ ...input, path })
  }
  await read(closed)
  return open + (await takeUnread(sandbox))
}

function copyOf({ name }: ListInput, folder: string): string {
  return join(folder, `${name}.closed`)
}

async function isReadable(
  sandbox: Sandbox,
  inputs: readonly ListInput[],
  read: (inputs: readonly ListInput[]) => Promise<void>,
): Promise<boolean> {
  try {
    await read(inputs)
  } catch (error) {
    // DuckDB gives up on mixed line ends.
    const isCsv = inputs.some(({ format }) => format === 'csv')
    if (isCsv && error instanceof AudienceError && error.code === 'list-unreadable') return false
    throw error
  }
  return !(await hasOpenQuotes(sandbox))
}

/** DuckDB keeps no more of a line that it could not read. */
const KEPT_LENGTH = 10_000

async function hasOpenQuotes(sandbox: Sandbox): Promise<boolean> {
  if (!(await hasRejects(sandbox))) return false
  const [row] = await sandbox.rows(`SELECT count(*) AS n FROM reject_errors
    WHERE error_type IN ('UNQUOTED VALUE', 'LINE SIZE OVER MAXIMUM')
      AND (length(csv_line) >= ${KEPT_LENGTH} OR regexp_matches(csv_line, '[\\r\\n]'))`)
  return Number(row?.n) > 0
}

/** Counts the lines that could not be read since the last time, each once however often a query read it. */
async function takeUnread(sandbox: Sandbox): Promise<number> {
  if (!(await hasRejects(sandbox))) return 0
  const [row] = await sandbox.rows(`SELECT count(*) AS n FROM
    (SELECT DISTINCT file_path, line FROM reject_errors JOIN reject_scans USING (scan_id, file_id))`)
  await sandbox.run('DROP TABLE reject_errors')
  await sandbox.run('DROP TABLE reject_scans')
  return Number(row?.n)
}

/** DuckDB makes the table with the first scan that keeps rejected lines. */
async function hasRejects(sandbox: Sandbox): Promise<boolean> {
  const [row] = await sandbox.rows(`SELECT count(*) AS n FROM duckdb_tables() WHERE table_name = 'reject_errors'`)
  return Number(row?.n) > 0
}
