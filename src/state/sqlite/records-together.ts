import type { DatabaseSync } from 'node:sqlite'
import type { StoredRecord } from '../../core/run.ts'
import { tried } from '../../core/tried.ts'
import type { Journal } from '../journal.ts'
import { textColumn } from '../sql/run-row.ts'
import { storedData, storedRecord } from '../sql/stored-record.ts'

/**
 * Runs with more records, or with more bytes in them, are read one by one, because their rows would fill the memory.
 */
const MOST_RECORDS = 50
const MOST_BYTES = 16_384

/**
 * Reads the records of many unfinished runs in two statements. This takes a quarter of the time of one statement per
 * run. `one` reads the records of one run.
 */
export function createRecordsTogether(db: DatabaseSync, one: Journal['records']): Journal['recordsTogether'] {
  const recordsOf = db.prepare(
    `SELECT run_id, seq, at, data FROM json_each(?) CROSS JOIN records ON run_id = value
      WHERE NOT EXISTS (SELECT 1 FROM records AS other WHERE other.run_id = value AND other.seq >= ${MOST_RECORDS})
        AND (SELECT sum(octet_length(other.data)) FROM records AS other WHERE other.run_id = value) <= ${MOST_BYTES}
      ORDER BY key, seq`,
  )
  const documentsOf = db.prepare('SELECT run_id, document FROM json_each(?) CROSS JOIN runs ON run_id = value')
  const textOf = db.prepare('SELECT text FROM documents WHERE id = ?')

  function readTogether(runIds: readonly string[]): (runId: string) => readonly StoredRecord[] {
    const asked = JSON.stringify(runIds)
    const rows = Map.groupBy(recordsOf.all(asked), ({ run_id }) => run_id)
    const documents = new Map(documentsOf.all(asked).map(({ run_id, document }) => [run_id, Number(document)]))
    const texts = new Map<unknown, string | undefined>()
    for (const id of new Set(documents.values())) texts.set(id, textColumn(textOf.get(id)?.text))
    return (runId) =>
      (rows.get(runId) ?? []).map(({ seq, at, data }) =>
        storedRecord(storedData({ seq, at, data }), seq === 0 ? texts.get(documents.get(runId)) : undefined),
      )
  }

  return (runIds) => {
    // Damaged records of one run must not prevent reading the others. `one` reports the damage.
    const records = tried(() => readTogether(runIds))
    return (runId) => {
      const found = tried(() => records?.(runId))
      return found?.length ? found : one(runId)
    }
  }
}
