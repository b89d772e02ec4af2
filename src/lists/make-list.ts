import { chmod, open, rename } from 'node:fs/promises'
import { MAX_UPLOAD_BYTES } from '../contract/files.ts'
import { normaliseSql } from '../contract/normalise-sql.ts'
import { AudienceError } from '../core/errors.ts'
import { identifier, literal } from '../platform/sql-text.ts'
import { syncToDisk } from '../platform/sync-to-disk.ts'
import { fieldsSql, isBlankSql } from './input-sql.ts'
import { listInput } from './list-input.ts'
import type { ListFigures, ListRequest } from './list-request.ts'
import { measureList } from './measure-list.ts'
import { inSandbox, type Sandbox } from './sandbox.ts'

/** Where a list is made. */
export interface ListWork {
  /** The files with the rows. */
  readonly files: readonly string[]
  /** The file to write; it appears when it is whole. */
  readonly target: string
  /** A folder for what does not fit into memory. */
  readonly tempDir: string
  readonly signal: AbortSignal
}

/** Writes the keys of the files: normalised, all different, sorted by their bytes, one a line below a header. */
export async function makeList(request: ListRequest, work: ListWork): Promise<ListFigures> {
  const { files, target, tempDir, signal } = work
  const inputs = await Promise.all(files.map((file) => listInput(file)))
  const part = `${target}.part`
  await createPrivate(part)
  const counts = await inSandbox({ files: [...files, part], tempDir, signal }, async (sandbox) => {
    const fields = fieldsSql(inputs, request.column ?? 1, request.signal)
    await sandbox.run(`CREATE TEMP TABLE found AS ${foundSql(request, fields)}`)
    const counted = await countsOf(sandbox)
    if (counted.keys === 0) throw noKey(request, counted)
    await sandbox.run(`COPY (SELECT key AS ${identifier(request.signal.toLowerCase())} FROM found WHERE key IS NOT NULL ORDER BY key)
      TO ${literal(part)} (FORMAT csv, HEADER, USE_TMP_FILE false)`)
    return counted
  })
  const { fit, ...measured } = await measureList(part, signal)
  if (fit !== undefined) throw tooLarge(measured.bytes, counts.keys, fit)
  syncToDisk(part)
  await rename(part, target)
  return { ...counts, ...measured, normalisation: 'service/1' }
}

/** SQL for the different keys with the number of their rows; without a key, whether the value is blank. */
function foundSql({ signal }: ListRequest, fields: string): string {
  // A line break inside of a key cannot be uploaded: a line is a record (decision 113).
  const keyed = `SELECT field, CASE WHEN NOT regexp_matches(key, '[\\r\\n]') THEN key END AS key
    FROM (${normaliseSql(signal, `(${fields})`)})`
  return `SELECT key, key IS NULL AND ${isBlankSql('field')} AS blank, count(*) AS n FROM (${keyed}) GROUP BY key, blank`
}

async function countsOf(sandbox: Sandbox) {
  const [row] = await sandbox.rows(`SELECT coalesce(sum(n), 0)::BIGINT AS read, count(key) AS keys,
    coalesce(sum(n) FILTER (blank), 0)::BIGINT AS empty,
    coalesce(sum(n) FILTER (key IS NULL AND NOT blank), 0)::BIGINT AS bad FROM found`)
  const [rejected] = await sandbox.rows(`SELECT count(*) AS lines FROM
    (SELECT DISTINCT file_path, line FROM reject_errors JOIN reject_scans USING (scan_id, file_id))`)
  const unread = Number(rejected?.lines)
  const rows = Number(row?.read) + unread
  const keys = Number(row?.keys)
  const empty = Number(row?.empty)
  const bad = Number(row?.bad) + unread
  const badShare = rows === 0 ? 0 : bad / rows
  return { rows, keys, duplicates: rows - keys - empty - bad, empty, bad, badShare, suppressed: 0 }
}

/** So that it is never open to others; DuckDB writes into it. */
async function createPrivate(file: string): Promise<void> {
  await (await open(file, 'w', 0o600)).close()
  await chmod(file, 0o600)
}

function noKey({ signal }: ListRequest, { rows, empty, bad }: { rows: number; empty: number; bad: number }) {
  return new AudienceError({
    code: 'list-empty',
    kind: 'failed',
    message: `the list has no ${signal} key: of ${rows} rows ${empty} are empty and ${bad} are bad`,
    hint: 'look whether column, sql and signal are right; a segment cannot be made of an empty list',
  })
}

function tooLarge(bytes: number, keys: number, fit: number): AudienceError {
  return new AudienceError({
    code: 'list-too-large',
    kind: 'failed',
    message: `the list has ${bytes} bytes with its ${keys} keys, and an upload takes ${MAX_UPLOAD_BYTES}: ${fit} of these keys would fit`,
    hint: 'make several lists of it, each with a WHERE in sql; nothing was sent',
  })
}
