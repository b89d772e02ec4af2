import type { DatabaseSync } from 'node:sqlite'
import type { RunHistory } from '../run-history.ts'
import { briefTransaction } from './brief-transaction.ts'
import type { CommitQueue } from './commit-queue.ts'
import { LAST_CHANGE } from './run-rows.ts'

/** Removes runs, with all data about them. */
export function createRunRemoval({
  db,
  queue,
  steadyMs,
}: {
  readonly db: DatabaseSync
  readonly queue: Pick<CommitQueue, 'commitAlone'>
  readonly steadyMs: () => number
}): RunHistory['remove'] {
  const deleteRun = db.prepare('DELETE FROM runs WHERE run_id = ? AND finished_at IS NOT NULL RETURNING document')
  const deleteFigures = db.prepare('DELETE FROM run_figures WHERE run_id = ?')
  const deleteGuards = db.prepare('DELETE FROM run_guards WHERE run_id = ?')
  const deleteDocument = db.prepare(
    'DELETE FROM documents WHERE id = ? AND NOT EXISTS (SELECT 1 FROM runs WHERE document = id)',
  )
  const deleteRecords = db.prepare('DELETE FROM records WHERE run_id = ?')
  const deletePacked = db.prepare('DELETE FROM packed_records WHERE run_id = ?')
  const deleteMessages = db.prepare('DELETE FROM messages WHERE run_id = ?')

  const keepLastChange = db.prepare(
    `INSERT INTO checkpoints (name, value) SELECT 'runs', change FROM (${LAST_CHANGE}) WHERE true
     ON CONFLICT DO UPDATE SET value = excluded.value`,
  )

  function remove(runIds: readonly string[], maxMs: number): number {
    const until = steadyMs() + maxMs
    keepLastChange.run()
    let removed = 0
    for (const runId of runIds) {
      const run = deleteRun.get(runId)
      if (run) {
        deleteRecords.run(runId)
        deletePacked.run(runId)
        deleteMessages.run(runId)
        deleteFigures.run(runId)
        deleteGuards.run(runId)
        deleteDocument.run(run.document ?? null)
        removed += 1
      }
      if (steadyMs() >= until) break
    }
    return removed
  }

  return async (runIds, maxMs) => briefTransaction(db, queue, () => remove(runIds, maxMs))
}
