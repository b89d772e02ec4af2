import { join } from 'node:path'
import { FORMED_SIGNALS, isKeyOf } from '../contract/signal-key.ts'
import { makeFolder } from '../platform/make-folder.ts'
import { literal } from '../platform/sql-text.ts'
import { createPrivate } from './create-private.ts'
import { unreadable } from './list-errors.ts'
import type { ListInput, Workplace } from './list-input.ts'
import type { ListRequest } from './list-request.ts'
import { parquetRelation } from './parquet-relation.ts'
import { filesToRead, readListInputs } from './read-inputs.ts'
import { readRows } from './read-rows.ts'
import type { Sandbox } from './sandbox.ts'

/** The result of a document's query. */
export interface QueryResult {
  /** The table `found` as a Parquet file. */
  readonly file: string
  /** How many lines of the inputs could not be read. */
  readonly unread: number
}

/**
 * Runs a document's query in a sandbox that has nothing but its inputs. The opt-out lists, their copies and their
 * tables are in another sandbox, so no query can read them.
 */
export async function askInputs(
  request: ListRequest,
  inputs: readonly ListInput[],
  { folder, sandboxes, signal }: Workplace,
): Promise<QueryResult> {
  for (const input of inputs) checkNames(input)
  // DuckDB lets a query read the folder for its temporary files, so this sandbox has a folder of its own.
  const own = join(folder, 'answer')
  makeFolder(own)
  const file = join(own, 'found.parquet')
  await createPrivate(file)
  const keys = { column: undefined, signal: request.signal }
  const files = [...filesToRead(inputs, folder), file]
  return sandboxes.open({ files, tempDir: own, signal, process: 'own' }, async (sandbox) => {
    const unread = await readListInputs(sandbox, inputs, { folder, signal, keys }, (readable) =>
      readRows(sandbox, readable, request),
    )
    await sandbox.run(`COPY found TO ${literal(file)} (FORMAT parquet, COMPRESSION uncompressed, USE_TMP_FILE false)`)
    return { file, unread }
  })
}

/**
 * Throws if a query cannot use the first row as column names: the row holds a key, which would not be counted, or it
 * continues past the part that was examined.
 */
function checkNames(input: ListInput): void {
  if (input.format !== 'csv') return
  if (input.cut !== undefined) throw unreadable(input.given, input.cut)
  const { first, before } = input.dialect
  if (!first.some((name) => FORMED_SIGNALS.some((signal) => isKeyOf(signal, name)))) return
  const why = `line ${before + 1} contains a key, but a query needs the names of the columns there`
  throw unreadable(
    input.given,
    why,
    'add a header to the file, or replace sql with the number of the column: column: 1',
  )
}

/** Makes the table `found` from an answer; returns how many lines could not be read. */
export async function takeAnswer(sandbox: Sandbox, { file, unread }: QueryResult): Promise<number> {
  await sandbox.run(`CREATE TEMP VIEW found AS FROM ${parquetRelation([file])}`)
  return unread
}
