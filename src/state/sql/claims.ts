import type { RecordedService } from '../../core/service-ref.ts'
import type { Claims } from '../claims.ts'
import { RunTakenOverError } from '../run-store.ts'
import { rowOf, type Sql, send } from './work.ts'

/** How a store finds the owner of a run: SQL expressions about the row of the run. */
export interface ClaimDialect {
  /** The fence of the run. It changes when another process takes the run over. */
  readonly fence: string
  /** Whether this process may claim for the run. */
  readonly isOpen: string
  /** Whether the run of a row in `claims` still has the fence of the claim. */
  readonly isCurrent: string
}

/** The claims of one service. */
export function createClaims(sql: Sql, here: RecordedService, dialect: ClaimDialect): Claims {
  const scope = scopeOf(here)
  const { holder, take, release } = statementsOf(dialect)
  return {
    async take(thing, { runId, step }) {
      for (;;) {
        // Reads first, so that a step that is waiting, or a run that continues after it was parked, needs only a read.
        const row = await sql.read(rowOf(holder, [scope, thing, runId]))
        if (!row?.is_open) throw new RunTakenOverError(runId)
        if (row.run_id !== null && (row.run_id !== runId || row.step !== step))
          return { state: 'held', by: { runId: String(row.run_id), step: String(row.step) } }
        if (row.fence !== null && row.fence === row.own_fence) return { state: 'taken', fence: String(row.fence) }
        const taken = await sql.write(() => rowOf(take, [scope, thing, runId, step]))
        // If there is no row, another process took the claim between the two statements.
        if (taken) return { state: 'taken', fence: String(taken.fence) }
      }
    },
    async release(thing, { runId, step }, fence) {
      await sql.write(() => send(release, [scope, thing, runId, step, fence]))
    },
  }
}

/**
 * The scope of claims is the service, whatever the name of the profile. If the service is unknown, the profile is the
 * scope.
 */
function scopeOf({ service, profile }: RecordedService): string {
  return service === undefined ? `profile ${profile}` : `service ${service}`
}

function statementsOf({ fence, isOpen, isCurrent }: ClaimDialect) {
  return {
    holder: `SELECT ${isOpen} AS is_open, ${fence}::text AS own_fence, held.run_id, held.step, held.fence::text AS fence
      FROM audience.runs LEFT JOIN (
        SELECT claims.run_id, claims.step, claims.fence FROM audience.claims JOIN audience.runs USING (run_id)
        WHERE scope = $1 AND thing = $2 AND finished_at IS NULL) AS held ON true
      WHERE runs.run_id = $3`,
    // If two processes ask at the same moment, one waits for the row of the other.
    take: `INSERT INTO audience.claims AS known (scope, thing, run_id, step, fence)
      SELECT $1, $2, run_id, $4, ${fence} FROM audience.runs WHERE run_id = $3 AND ${isOpen}
      ON CONFLICT (scope, thing) DO UPDATE SET run_id = excluded.run_id, step = excluded.step, fence = excluded.fence
        WHERE (known.run_id = excluded.run_id AND known.step = excluded.step)
          OR NOT EXISTS (SELECT 1 FROM audience.runs WHERE runs.run_id = known.run_id AND finished_at IS NULL)
      RETURNING fence`,
    release: `DELETE FROM audience.claims
      WHERE scope = $1 AND thing = $2 AND run_id = $3 AND step = $4 AND fence = $5 AND ${isCurrent}`,
  }
}
