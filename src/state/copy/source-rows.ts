import type { DatabaseSync } from 'node:sqlite'
import { stringifyJson } from '../../core/json.ts'
import { unpackRecords } from '../sqlite/packed-records.ts'
import type { CopiedTable } from './copied-tables.ts'

/** The values of a row, in the order of its columns. */
export type SourceRow = readonly unknown[]

/** The rows of a table of an embedded state, one by one. */
export function* sourceRows(db: DatabaseSync, { rows }: CopiedTable): Generator<SourceRow> {
  const statement = db.prepare(rows)
  statement.setReturnArrays(true)
  for (const row of statement.iterate()) yield row as unknown as SourceRow
}

/** The records of all runs, packed or not, as they were written. */
export function* sourceRecords(db: DatabaseSync): Generator<SourceRow> {
  const records = db.prepare('SELECT run_id, seq, at, data FROM records ORDER BY run_id, seq')
  records.setReturnArrays(true)
  for (const row of records.iterate()) yield row as unknown as SourceRow
  for (const { run_id: runId, data: packed } of db.prepare('SELECT run_id, data FROM packed_records').iterate())
    for (const { seq, at, data } of unpackRecords(packed)) yield [runId, seq, at, stringifyJson(data)]
}
