import type { RecordedService } from '../../core/service-ref.ts'
import type { Claims } from '../claims.ts'
import { RunTakenOverError } from '../run-store.ts'
import { claimScope } from '../sql/claim-scope.ts'
import type { Database } from './database.ts'

/** The claims of one service in the database. The fence is the epoch of the run. */
export function createClaims(db: Database, { here }: { readonly here: RecordedService }): Claims {
  const scope = claimScope(here)
  return {
    async take(thing, { runId, step }) {
      for (;;) {
        // Waiting costs a read, and so does a run that goes on after it was parked.
        const row = await db.row(HOLDER, [scope, thing, runId])
        if (row?.is_open !== true) throw new RunTakenOverError(runId)
        if (row.run_id !== null && (row.run_id !== runId || row.step !== step))
          return { state: 'held', by: { runId: String(row.run_id), step: String(row.step) } }
        if (row.fence !== null && row.fence === row.epoch) return { state: 'taken', fence: String(row.fence) }
        const taken = await db.row(TAKE, [scope, thing, runId, step])
        // Without a row, another took it between the two.
        if (taken) return { state: 'taken', fence: String(taken.fence) }
      }
    },
    async release(thing, { runId, step }, fence) {
      await db.query(
        `DELETE FROM audience.claims USING audience.runs WHERE scope = $1 AND thing = $2
          AND claims.run_id = $3 AND claims.step = $4 AND claims.fence = $5
          AND runs.run_id = claims.run_id AND runs.epoch = claims.fence`,
        [scope, thing, runId, step, fence],
      )
    },
  }
}

/** Of two that ask at the same moment, one waits for the other's row. */
const TAKE = `INSERT INTO audience.claims AS known (scope, thing, run_id, step, fence)
  SELECT $1, $2, run_id, $4, epoch FROM audience.runs WHERE run_id = $3 AND finished_at IS NULL
  ON CONFLICT (scope, thing) DO UPDATE SET run_id = excluded.run_id, step = excluded.step, fence = excluded.fence
    WHERE (known.run_id = excluded.run_id AND known.step = excluded.step)
      OR NOT EXISTS (SELECT 1 FROM audience.runs WHERE runs.run_id = known.run_id AND finished_at IS NULL)
  RETURNING fence`

const HOLDER = `SELECT finished_at IS NULL AS is_open, epoch::text, held.run_id, held.step, held.fence::text
  FROM audience.runs AS asking LEFT JOIN (
    SELECT claims.run_id, claims.step, claims.fence FROM audience.claims JOIN audience.runs USING (run_id)
    WHERE scope = $1 AND thing = $2 AND finished_at IS NULL) AS held ON true
  WHERE asking.run_id = $3`
