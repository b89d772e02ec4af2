import type { DatabaseSync } from 'node:sqlite'
import type { RunHistory } from '../run-history.ts'
import { briefTransaction } from './brief-transaction.ts'
import type { CommitQueue } from './commit-queue.ts'
import { packRecords } from './packed-records.ts'

/** Packs the records of ended runs, in the order of their ids. */
export function createRunPacking({
  db,
  queue,
  steadyMs,
}: {
  readonly db: DatabaseSync
  readonly queue: Pick<CommitQueue, 'commitAlone'>
  readonly steadyMs: () => number
}): RunHistory['pack'] {
  // Jumps over the records of a run.
  const nextUnpacked = db.prepare('SELECT run_id FROM records WHERE run_id > ? ORDER BY run_id LIMIT 1')
  const hasEnded = db.prepare('SELECT 1 FROM runs WHERE run_id = ? AND finished_at IS NOT NULL')
  const recordsOf = db.prepare('SELECT at, data FROM records WHERE run_id = ? ORDER BY seq')
  const insert = db.prepare('INSERT INTO packed_records (run_id, records, data) VALUES (?, ?, ?)')
  const remove = db.prepare('DELETE FROM records WHERE run_id = ?')
  /** Where the previous call ended. */
  let after = ''

  function pack(runId: string): void {
    const records = recordsOf.all(runId)
    insert.run(runId, records.length, packRecords(records))
    remove.run(runId)
  }

  function packUntil(until: number): boolean {
    while (steadyMs() < until) {
      const row = nextUnpacked.get(after)
      if (!row) {
        after = ''
        return false
      }
      after = String(row.run_id)
      if (hasEnded.get(after)) pack(after)
    }
    return true
  }

  return async (maxMs) => briefTransaction(db, queue, () => packUntil(steadyMs() + maxMs))
}
