import type { DatabaseSync } from 'node:sqlite'
import type { Client } from 'pg'
import { failedError } from '../../core/errors.ts'
import { count } from '../../core/format/figures.ts'
import { stringifyJson } from '../../core/json.ts'
import { withConnection } from '../postgres/connect.ts'
import { requireVersion } from '../postgres/migrate-database.ts'
import { openSource } from '../sqlite/open-readable-state.ts'
import { unpackRecords } from '../sqlite/packed-records.ts'
import { COPIED_TABLES, type CopiedTable, columnsOf, RECORDS, readingOf } from './copied-tables.ts'

/** The maximum numbers of rows and of characters that are sent at a time. */
const ROWS_AT_ONCE = 1000
const CHARACTERS_AT_ONCE = 1_000_000
/** How many unfinished runs an error names. */
const NAMED = 5

/** How many rows of a table are copied. */
export interface CopyProgress {
  readonly table: string
  readonly rows: number
}

/**
 * Copies an embedded state to an empty database, in one transaction: either everything is copied, or nothing. Only
 * ended runs can be copied. Undelivered notifications are copied, too, so only one of the two states may be used from
 * then on. The caller ensures that no process writes to the source in the meantime. Throws `runs-unfinished`,
 * `state-not-empty`, `state-not-migrated`, `state-too-new`, the errors that opening a state for reading throws, and the
 * errors that `failureAt` makes.
 */
export async function copyState(options: {
  /** A state folder. */
  from: string
  /** The URL of a database. */
  to: string
  /** Called after each part of a table, and at its end. */
  onProgress?: (progress: CopyProgress) => void
  /** Ends the copy with the reason of the signal. In that case, the target stays empty. */
  signal?: AbortSignal
}): Promise<readonly CopyProgress[]> {
  const { from, to, onProgress = () => {}, signal } = options
  const onPart = (progress: CopyProgress) => {
    onProgress(progress)
    signal?.throwIfAborted()
  }
  const source = openSource(from)
  try {
    requireEnded(source.db, from)
    return await withConnection(to, (client, place) => copy(source.db, client, { place, onProgress: onPart }))
  } finally {
    source.close()
  }
}

async function copy(
  db: DatabaseSync,
  client: Client,
  { place, onProgress }: { place: string; onProgress: (progress: CopyProgress) => void },
): Promise<CopyProgress[]> {
  await requireVersion(client, place)
  await client.query('BEGIN')
  // Other users of the target wait until everything is copied.
  await client.query('LOCK TABLE audience.runs, audience.occurrences, audience.triggers IN SHARE ROW EXCLUSIVE MODE')
  await requireEmpty(client, place)
  const copied: CopyProgress[] = []
  for (const table of COPIED_TABLES) {
    const rows = await copyTable(client, table, sourceRows(db, readingOf(table)), onProgress)
    if (table.hasId) await continueIds(client, table.name)
    copied.push({ table: table.name, rows })
  }
  copied.push({ table: RECORDS.name, rows: await copyTable(client, RECORDS, sourceRecords(db), onProgress) })
  await client.query('COMMIT')
  await client.query(`ANALYZE ${copied.map(({ table }) => `audience.${table}`).join(', ')}`)
  return copied
}

async function copyTable(
  client: Client,
  table: CopiedTable,
  rows: Iterable<SourceRow>,
  onProgress: (progress: CopyProgress) => void,
): Promise<number> {
  const { name } = table
  const columns = columnsOf(table)
  const names = columns.map((column) => column.name)
  const arrays = columns.map(({ type }, place) => `$${place + 1}::${type}[]`)
  const insert = `INSERT INTO audience.${name} (${names.join(', ')}) SELECT * FROM unnest(${arrays.join(', ')})`
  let copied = 0
  for (const part of partsOf(rows)) {
    await client.query(
      insert,
      columns.map((_, place) => part.map((row) => storable(row[place]))),
    )
    copied += part.length
    onProgress({ table: name, rows: copied })
  }
  return copied
}

function* partsOf(rows: Iterable<SourceRow>): Generator<SourceRow[]> {
  let part: SourceRow[] = []
  let characters = 0
  for (const row of rows) {
    part.push(row)
    for (const value of row) if (typeof value === 'string') characters += value.length
    if (part.length < ROWS_AT_ONCE && characters < CHARACTERS_AT_ONCE) continue
    yield part
    part = []
    characters = 0
  }
  if (part.length > 0) yield part
}

/** Replaces a character that text in SQLite can contain, but text in PostgreSQL cannot. */
function storable(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value
}

async function continueIds(client: Client, table: string): Promise<void> {
  await client.query(
    `SELECT setval(pg_get_serial_sequence('audience.${table}', 'id'), max(id)) FROM audience.${table} HAVING count(*) > 0`,
  )
}

function requireEnded(db: DatabaseSync, folder: string): void {
  const unfinished = db.prepare('SELECT run_id FROM runs WHERE finished_at IS NULL ORDER BY submitted_at, run_id').all()
  if (unfinished.length === 0) return
  const named = unfinished.slice(0, NAMED).map((row) => row.run_id)
  const more = unfinished.length > NAMED ? `, and ${unfinished.length - NAMED} more` : ''
  throw failedError(
    'runs-unfinished',
    `${count(unfinished.length, 'run')} of the state in ${folder} ${unfinished.length === 1 ? 'has' : 'have'} not ended: ${named.join(', ')}${more}`,
    'let them end (audience start, audience runs resume) or cancel them (audience runs cancel), then copy',
  )
}

async function requireEmpty(client: Client, place: string): Promise<void> {
  const tables = [...COPIED_TABLES, RECORDS].map(({ name }) => name).filter((name) => name !== 'checkpoints')
  const looks = tables.map((name) => `SELECT '${name}' AS name WHERE EXISTS (SELECT 1 FROM audience.${name})`)
  const { rows } = await client.query<{ name: string }>(looks.join(' UNION ALL '))
  if (rows.length === 0) return
  throw failedError(
    'state-not-empty',
    `the state in ${place} is not empty: there are rows in ${rows.map(({ name }) => name).join(', ')}`,
    'nothing was changed; copy to a new database (createdb, then audience state migrate)',
  )
}

/** The values of a row, in the order of its columns. */
type SourceRow = readonly unknown[]

/** The rows that a statement reads from an embedded state, one by one. */
function* sourceRows(db: DatabaseSync, query: string): Generator<SourceRow> {
  const statement = db.prepare(query)
  statement.setReturnArrays(true)
  for (const row of statement.iterate()) yield row as unknown as SourceRow
}

/** The records of all runs, packed or not, as they were written. */
function* sourceRecords(db: DatabaseSync): Generator<SourceRow> {
  yield* sourceRows(db, 'SELECT run_id, seq, at, data FROM records ORDER BY run_id, seq')
  for (const { run_id: runId, data: packed } of db.prepare('SELECT run_id, data FROM packed_records').iterate())
    for (const { seq, at, data } of unpackRecords(packed)) yield [runId, seq, at, stringifyJson(data)]
}
