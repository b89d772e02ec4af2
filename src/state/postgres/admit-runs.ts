import type { Admission } from '../journal.ts'
import { admittedNow } from '../sql/queued-runs.ts'
import { ofService } from '../sql/run-reads.ts'
import { rowsOf } from '../sql/work.ts'
import { appendStatement } from './append-statement.ts'
import { doWork, lockAll, type Query } from './database.ts'
import { groupLock, type WritesDeps } from './submit-run.ts'

const QUEUED = `SELECT runs.run_id, pipeline, epoch, runs.executor = $1 AS is_ours,
    workers.executor IS NOT NULL AS is_owned, ${ofService('$2', '$3')} AS is_of_here
  FROM audience.runs LEFT JOIN audience.workers ON workers.executor = runs.executor AND expires_at > now()
  WHERE status = 'queued' ORDER BY submitted_at, runs.run_id`

/**
 * Admits queued runs within a transaction, like `admit` of the journal: runs of `owner` and, with `orphans`, runs of no
 * living process. Returns their ids in the order in which they begin.
 */
export async function admitRuns(
  query: Query,
  { at, room, orphans }: Pick<Admission, 'at' | 'room' | 'orphans'>,
  { owner, here, redact }: WritesDeps & { owner: string },
): Promise<readonly string[]> {
  const { rows: names } = await query(
    `SELECT DISTINCT name FROM audience.run_groups JOIN audience.runs USING (run_id) WHERE status = 'queued'`,
  )
  await lockAll(query, ['admission', ...names.map((row) => groupLock(String(row.name)))])
  const queued = rowsOf(QUEUED, [owner, here.profile, here.service ?? null])
  const admitted = await doWork(
    query,
    admittedNow(queued, {
      at,
      room: room(),
      admittedBy(row) {
        if (row.is_ours === true) return 'us'
        if (row.is_owned === true) return 'others'
        return orphans && row.is_of_here === true ? 'us' : 'nobody'
      },
    }),
  )
  if (admitted.length === 0) return []
  const appends = admitted.map(({ runId, row, records }) => ({ runId, epoch: Number(row.epoch), records }))
  const { text, values } = appendStatement(appends, { redact, isRepeated: false })
  const written = new Set((await query(text, values)).rows.map((row) => row.run_id))
  return admitted.flatMap(({ runId }) => (written.has(runId) ? [runId] : []))
}
