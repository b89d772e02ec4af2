import { HOUR_MS } from '../../core/duration.ts'
import { LEARNED_VERDICTS } from '../../core/guard.ts'
import type { PageKey, RunFilter, RunHistory } from '../run-history.ts'
import type { ServiceAtHand } from '../service-at-hand.ts'
import { addLookFilter, addRunFilter, type BoundedFilter, lookOf } from '../sql/filters.ts'
import { hourCounts } from '../sql/hour-counts.ts'
import { countsOf, figureOf, guardValueOf, pageKey, pageOf, recordedService } from '../sql/run-row.ts'
import { settledChange } from './changes.ts'
import { Conditions } from './conditions.ts'
import type { Database } from './database.ts'
import { rowOf, SELECT_RUNS } from './run-lookups.ts'

/** For N values of a guard, N times this many runs are read: not every run has one. */
const RUNS_PER_VALUE = 4

/** If a run's service is unknown, only the profile counts. */
const ofService = (profile: string, service: string) =>
  `profile = ${profile} AND (service IS NULL OR service IS NOT DISTINCT FROM ${service})`

const NO_OWNER = `NOT EXISTS (
  SELECT 1 FROM audience.workers AS w WHERE w.executor = runs.executor AND w.expires_at > now())`

type Lists = Omit<
  RunHistory,
  'find' | 'records' | 'decisionsSent' | 'blocked' | 'submission' | 'named' | 'remove' | 'pack' | 'send'
>

/** The reads over many runs. */
export function runLists(db: Database, here: ServiceAtHand): Lists {
  const place = [here.profile, here.service ?? null] as const

  /** The last run that a page looks at; undefined if it looks at all runs. */
  async function endOfLook(filter: RunFilter): Promise<PageKey | undefined> {
    const look = lookOf(filter)
    if (look === undefined) return undefined
    const conditions = new Conditions()
    addLookFilter(conditions, filter)
    const before = conditions.value(look - 1)
    const row = await db.row(
      `SELECT submitted_at, run_id FROM audience.runs ${conditions.where}
        ORDER BY submitted_at DESC, run_id DESC LIMIT 1 OFFSET ${before}`,
      conditions.values,
    )
    return row && pageKey(row)
  }

  return {
    async page(filter) {
      const end = await endOfLook(filter)
      const conditions = conditionsOf({ ...filter, end })
      const limit = conditions.value(filter.limit)
      const found = await db.rows(
        `${SELECT_RUNS} ${conditions.where} ORDER BY submitted_at DESC, run_id DESC LIMIT ${limit}`,
        conditions.values,
      )
      return pageOf(found.map(rowOf), filter.limit, end)
    },
    async changedSince(sequence, limit) {
      const found = await db.rows(
        `${SELECT_RUNS} WHERE updated_seq > $1 AND updated_seq <= $2 ORDER BY updated_seq LIMIT $3`,
        [sequence, await settledChange(db), limit],
      )
      return { rows: found.map(rowOf), sequence: Number(found.at(-1)?.updated_seq ?? sequence) }
    },
    lastChange: () => settledChange(db),
    async counts() {
      const rows = await db.rows(
        'SELECT status, count(*) AS runs FROM audience.runs WHERE finished_at IS NULL GROUP BY status',
      )
      return { queued: 0, running: 0, waiting: 0, ...countsOf(rows) }
    },
    async endedSince(since) {
      const rows = await db.rows(
        'SELECT status, count(*) AS runs FROM audience.runs WHERE finished_at >= $1 GROUP BY status',
        [since],
      )
      return { succeeded: 0, failed: 0, cancelled: 0, ...countsOf(rows) }
    },
    async succeededInPart(since) {
      const row = await db.row(
        `SELECT count(*) AS runs FROM audience.runs WHERE finished_at >= $1 AND status = 'succeeded' AND failures > 0`,
        [since],
      )
      return Number(row?.runs)
    },
    async countsByHour({ from, to, pipeline = '' }) {
      const row = await db.row(
        `SELECT array_to_json(array_agg(hour))::text AS hours, array_to_json(array_agg(status))::text AS statuses,
            array_to_json(array_agg(runs))::text AS runs
          FROM audience.run_hours WHERE pipeline = $1 AND hour >= $2 AND hour < $3`,
        [pipeline, Math.floor(from / HOUR_MS), Math.ceil(to / HOUR_MS)],
      )
      return hourCounts(row)
    },
    async figures({ pipeline, step = null, name = null, limit }) {
      const rows = await db.rows(
        `SELECT run_id, step, name, value::double precision
          FROM (SELECT run_id, submitted_at FROM audience.runs WHERE pipeline = $1
              ORDER BY submitted_at DESC, run_id DESC LIMIT $2) AS newest
            JOIN audience.figures USING (run_id)
            CROSS JOIN LATERAL jsonb_each(by_step) AS by_step (step, numbers)
            CROSS JOIN LATERAL jsonb_each(numbers) AS number (name, value)
          WHERE ($3::text IS NULL OR step = $3) AND ($4::text IS NULL OR name = $4)
          ORDER BY submitted_at DESC, run_id DESC, step COLLATE "C", name COLLATE "C"`,
        [pipeline, limit, step, name],
      )
      return rows.map(figureOf)
    },
    async guardValues({ pipeline, step, goodOf = null, limit }) {
      // A limit on the runs that are looked at bounds the time.
      const rows = await db.rows(
        `SELECT run_id, item, value, verdict FROM (
            SELECT run_id, submitted_at, item, value, verdict,
              row_number() OVER (PARTITION BY item ORDER BY submitted_at DESC, run_id DESC) AS rank
            FROM (SELECT run_id, submitted_at FROM audience.runs
                WHERE pipeline = $1 AND ($2::text IS NULL OR status = 'succeeded') AND ${ofService('$3', '$4')}
                ORDER BY submitted_at DESC, run_id DESC LIMIT $5) AS newest
              JOIN audience.run_guards USING (run_id)
            WHERE step = $6 AND ($2 IS NULL OR of = $2 AND verdict = ANY($7))) AS ranked
          WHERE rank <= $8 ORDER BY submitted_at DESC, run_id DESC, item`,
        [pipeline, goodOf, ...place, limit * RUNS_PER_VALUE, step, LEARNED_VERDICTS, limit],
      )
      return rows.map(guardValueOf)
    },
    async orphans() {
      const rows = await db.rows(
        `SELECT run_id FROM audience.runs
          WHERE finished_at IS NULL AND status <> 'queued' AND executor IS NOT NULL
            AND ${ofService('$1', '$2')} AND ${NO_OWNER}
          ORDER BY submitted_at, run_id`,
        place,
      )
      return rows.map((row) => String(row.run_id))
    },
    async unfinishedServices() {
      const rows = await db.rows(
        `SELECT profile, service, count(*) AS runs, min(run_id) AS oldest FROM audience.runs
          WHERE finished_at IS NULL GROUP BY profile, service ORDER BY profile, service NULLS FIRST`,
      )
      return rows.map((row) => ({
        ...recordedService(row),
        runs: Number(row.runs),
        oldestRunId: String(row.oldest),
      }))
    },
    async lastSuccess(pipeline) {
      const row = await db.row(
        `${SELECT_RUNS} WHERE pipeline = $1 AND status = 'succeeded' AND ${ofService('$2', '$3')}
          ORDER BY submitted_at DESC, run_id DESC LIMIT 1`,
        [pipeline, ...place],
      )
      return row && rowOf(row)
    },
    async pipelines() {
      // Jumps from one name to the next in the index, so the number of runs per name does not matter.
      const rows = await db.rows(
        `WITH RECURSIVE names (name) AS (
            SELECT min(pipeline) FROM audience.runs
            UNION ALL SELECT (SELECT min(pipeline) FROM audience.runs WHERE pipeline > name) FROM names WHERE name IS NOT NULL)
          SELECT name FROM names WHERE name IS NOT NULL`,
      )
      return rows.map(({ name }) => String(name))
    },
    async expired({ pipeline, before, keep, limit }) {
      const rows = await db.rows(
        `WITH latest AS MATERIALIZED (SELECT profile, service, max(submitted_at) AS at FROM audience.runs
            WHERE pipeline = $1 AND status = 'succeeded' GROUP BY profile, service)
          SELECT run_id FROM audience.runs AS r
          WHERE pipeline = $1 AND submitted_at < $2 AND finished_at < $2
            AND ($3 = 0 OR (submitted_at, run_id) < (
              SELECT submitted_at, run_id FROM audience.runs WHERE pipeline = $1 AND finished_at IS NOT NULL
              ORDER BY submitted_at DESC, run_id DESC LIMIT 1 OFFSET greatest($3 - 1, 0)))
            AND (status <> 'succeeded' OR submitted_at < (
              SELECT at FROM latest WHERE latest.profile = r.profile AND latest.service IS NOT DISTINCT FROM r.service))
          ORDER BY submitted_at, run_id LIMIT $4`,
        [pipeline, before, keep, limit],
      )
      return rows.map((row) => String(row.run_id))
    },
  }
}

function conditionsOf(filter: BoundedFilter): Conditions {
  const conditions = new Conditions()
  // ILIKE takes twice the time: it makes the pattern lower case again for each row.
  addRunFilter(conditions, filter, (column) => `lower(${column}) LIKE lower(?)`)
  if (filter.ownerless) conditions.add(NO_OWNER)
  return conditions
}
