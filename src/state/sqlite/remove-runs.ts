import type { DatabaseSync } from 'node:sqlite'
import type { RunHistory } from '../run-history.ts'
import type { CommitQueue } from './commit-queue.ts'

/**
 * Removes runs in transactions that hold the write lock only briefly: they do not wait for the disk. The checkpoint
 * after each of them does, without the lock.
 */
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
  const deleteDocument = db.prepare(
    'DELETE FROM documents WHERE id = ? AND NOT EXISTS (SELECT 1 FROM runs WHERE document = id)',
  )
  const deleteRecords = db.prepare('DELETE FROM records WHERE run_id = ?')
  const deleteMessages = db.prepare('DELETE FROM messages WHERE run_id = ?')

  function remove(runIds: readonly string[], maxMs: number): number {
    const until = steadyMs() + maxMs
    let removed = 0
    for (const runId of runIds) {
      const run = deleteRun.get(runId)
      if (run) {
        deleteRecords.run(runId)
        deleteMessages.run(runId)
        deleteFigures.run(runId)
        deleteDocument.run(run.document ?? null)
        removed += 1
      }
      if (steadyMs() >= until) break
    }
    return removed
  }

  function removeBriefly(runIds: readonly string[], maxMs: number): number {
    db.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0')
    try {
      return queue.commitAlone(() => remove(runIds, maxMs))
    } finally {
      db.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 1000')
    }
  }

  return async (runIds, maxMs) => {
    const removed = removeBriefly(runIds, maxMs)
    db.exec('PRAGMA wal_checkpoint(PASSIVE)')
    return removed
  }
}
