import type { DatabaseSync } from 'node:sqlite'
import type { RecordedService } from '../../core/service-ref.ts'
import type { ClaimHolder, Claims } from '../claims.ts'
import { claimScope } from '../rows/claim-scope.ts'
import { RunTakenOverError } from '../run-store.ts'
import type { CommitQueue } from './commit-queue.ts'
import type { Owner } from './owners.ts'

/** The claims of one service in the state database. The fence is the owner: a process that takes a run over is another. */
export function createSqliteClaims(state: {
  readonly db: DatabaseSync
  readonly queue: CommitQueue
  readonly owner: Owner
  readonly here: RecordedService
}): Claims {
  const { db, queue, owner } = state
  const scope = claimScope(state.here)
  const ownsRun = db.prepare('SELECT 1 FROM runs WHERE run_id = ? AND owner = ? AND finished_at IS NULL')
  const holderOf = db.prepare(
    `SELECT run_id, claims.step, fence FROM claims JOIN runs USING (run_id)
     WHERE scope = ? AND thing = ? AND finished_at IS NULL`,
  )
  const replace = db.prepare('INSERT OR REPLACE INTO claims (scope, thing, run_id, step, fence) VALUES (?, ?, ?, ?, ?)')
  const remove = db.prepare(
    'DELETE FROM claims WHERE scope = ? AND thing = ? AND run_id = ? AND step = ? AND fence = ? AND fence = ?',
  )
  /** Who has the claim, if it is not the one who asks. */
  const other = (thing: string, { runId, step }: ClaimHolder) => {
    const row = holderOf.get(scope, thing)
    const by = row && { runId: String(row.run_id), step: String(row.step), fence: String(row.fence) }
    return by && (by.runId !== runId || by.step !== step) ? by : undefined
  }
  return {
    async take(thing, holder) {
      const { runId, step } = holder
      // Waiting costs a read and no transaction.
      const held = other(thing, holder)
      if (held) return { state: 'held', by: { runId: held.runId, step: held.step } }
      return queue.commit(() => {
        if (!ownsRun.get(runId, owner.id)) throw new RunTakenOverError(runId)
        const by = other(thing, holder)
        if (by) return { state: 'held', by: { runId: by.runId, step: by.step } } as const
        replace.run(scope, thing, runId, step, owner.id)
        return { state: 'taken', fence: owner.id } as const
      })
    },
    release: (thing, { runId, step }, fence) =>
      queue.commit(() => void remove.run(scope, thing, runId, step, fence, owner.id)),
  }
}
