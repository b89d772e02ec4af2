import { DAY_MS, HOUR_MS } from '../../core/duration.ts'
import type { Database } from './database.ts'

const AT_ONCE = 1000
/** Few runs that were submitted earlier still end. */
const BUSY_MS = 2 * DAY_MS

/**
 * Adds up the counts that workers keep in their own rows: rows of earlier days, and of workers that no longer live.
 * It waits for no worker. Returns whether there may be more.
 */
export async function mergeHours(db: Database, now: () => number): Promise<boolean> {
  const row = await db.row(
    `WITH found AS (
        SELECT pipeline, hour, status, executor FROM audience.run_hours
        WHERE executor <> '' AND (hour < $1 OR NOT EXISTS (
          SELECT 1 FROM audience.workers WHERE workers.executor = run_hours.executor AND expires_at > now()))
        LIMIT $2 FOR UPDATE SKIP LOCKED),
      gone AS (
        DELETE FROM audience.run_hours AS counted USING found
        WHERE (counted.pipeline, counted.hour, counted.status, counted.executor)
          = (found.pipeline, found.hour, found.status, found.executor)
        RETURNING counted.hour, counted.pipeline, counted.status, counted.runs),
      merged AS (
        INSERT INTO audience.run_hours AS known (hour, pipeline, status, executor, runs)
        SELECT hour, pipeline, status, '', sum(runs) FROM gone GROUP BY hour, pipeline, status ORDER BY 1, 2, 3
        ON CONFLICT (pipeline, hour, status, executor) DO UPDATE SET runs = known.runs + excluded.runs)
      SELECT count(*) AS rows FROM gone`,
    [Math.floor((now() - BUSY_MS) / HOUR_MS), AT_ONCE],
  )
  return Number(row?.rows) === AT_ONCE
}
