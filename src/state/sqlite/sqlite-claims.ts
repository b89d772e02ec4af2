import type { DatabaseSync } from 'node:sqlite'
import type { RecordedService } from '../../core/service-ref.ts'
import type { Claimed, ClaimHolder, Claims } from '../claims.ts'
import { RunTakenOverError } from '../run-store.ts'
import { claimScope } from '../sql/claim-scope.ts'
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
  const taken: Claimed = { state: 'taken', fence: owner.id }

  /** What is known without a write; undefined if the claim is free, or was taken by an earlier owner of the run. */
  function read(thing: string, { runId, step }: ClaimHolder): Claimed | undefined {
    const row = holderOf.get(scope, thing)
    if (!row) return undefined
    const by = { runId: String(row.run_id), step: String(row.step) }
    if (by.runId !== runId || by.step !== step) return { state: 'held', by }
    return row.fence === owner.id ? taken : undefined
  }

  return {
    async take(thing, holder) {
      const { runId, step } = holder
      const check = () => {
        if (!ownsRun.get(runId, owner.id)) throw new RunTakenOverError(runId)
        return read(thing, holder)
      }
      // Waiting costs reads and no transaction, and so does a run that goes on after it was parked.
      return (
        check() ??
        queue.commit(() => {
          const known = check()
          if (!known) replace.run(scope, thing, runId, step, owner.id)
          return known ?? taken
        })
      )
    },
    release: (thing, { runId, step }, fence) =>
      queue.commit(() => void remove.run(scope, thing, runId, step, fence, owner.id)),
  }
}
