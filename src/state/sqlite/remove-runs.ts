import type { RunHistory } from '../run-history.ts'
import { type BriefDeps, briefTransaction } from './brief-transaction.ts'
import { LAST_CHANGE } from './last-change.ts'

/** Removes runs, with all data about them. */
export function createRunRemoval(deps: BriefDeps): RunHistory['remove'] {
  const { db, steadyMs } = deps
  const deleteRun = db.prepare('DELETE FROM runs WHERE run_id = ? AND finished_at IS NOT NULL RETURNING document')
  const deleteFigures = db.prepare('DELETE FROM run_figures WHERE run_id = ?')
  const deleteGuards = db.prepare('DELETE FROM run_guards WHERE run_id = ?')
  const deleteBlocked = db.prepare('DELETE FROM blocked WHERE run_id = ?')
  const deletePartnerWaits = db.prepare('DELETE FROM partner_waits WHERE run_id = ?')
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
        deleteBlocked.run(runId)
        deletePartnerWaits.run(runId)
        deleteDocument.run(run.document ?? null)
        removed += 1
      }
      if (steadyMs() >= until) break
    }
    return removed
  }

  return async (runIds, maxMs) => briefTransaction(deps, () => remove(runIds, maxMs))
}
