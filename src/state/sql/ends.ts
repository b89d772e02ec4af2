import { isOfService, type RecordedService } from '../../core/service-ref.ts'
import type { Ends, OpenEnd } from '../ends.ts'
import { type OccurrenceDialect, occurrenceOf } from './occurrences.ts'
import { recordedService, textColumn, triggerOf } from './run-row.ts'
import { type Row, rowsOf, type Sql, send } from './work.ts'

export function createEnds(sql: Sql, { put, here }: Pick<OccurrenceDialect, 'put'> & { here: RecordedService }): Ends {
  return {
    async follow({ pipeline, trigger }, pipelines) {
      const ref = [pipeline, trigger]
      const known = (await sql.read(rowsOf(FOLLOWED, ref))).map(({ upstream }) => String(upstream))
      const added = pipelines.filter((each) => !known.includes(each))
      if (added.length === 0 && known.length === pipelines.length) return
      await sql.transaction(function* () {
        yield* send(UNFOLLOW, [...ref, pipelines])
        yield* send(DROP_UNFOLLOWED, [...ref, pipelines])
        for (const each of added) yield* send(FOLLOW, [...ref, each])
      })
    },
    followers: async () => (await sql.read(rowsOf(FOLLOWERS))).map(triggerOf),
    waiting: async () => (await sql.read(rowsOf(WAITING))).map(triggerOf),
    open: async ({ pipeline, trigger }) =>
      (await sql.read(rowsOf(OPEN, [pipeline, trigger]))).map((row) => openEndOf(row, here)),
    taken: async ({ pipeline, trigger }, marks) =>
      (await sql.read(rowsOf(TAKEN, [pipeline, trigger, marks]))).map((row) => ({
        mark: String(row.mark),
        key: String(row.key),
        pipeline: String(row.upstream),
      })),
    account: (ref, { sets, others }) =>
      sql.transaction(function* () {
        yield* send(LOCK, [ref.pipeline, ref.trigger])
        if (others.length > 0) yield* send(DROP, [ref.pipeline, ref.trigger, others])
        for (const { members, occurrence } of sets) {
          const ids = members.map(({ runId }) => runId)
          const open = yield* rowsOf(OPEN_AMONG, [ref.pipeline, ref.trigger, ids])
          if (open.length < ids.length) continue
          yield* put([{ ...ref, ...occurrence }])
          for (const { runId, origin, mark } of members)
            yield* send(TAKE, [ref.pipeline, ref.trigger, runId, occurrence.key, origin, mark ?? null])
        }
      }),
    after: async (runId) => (await sql.read(rowsOf(AFTER, [runId]))).map(occurrenceOf),
  }
}

const OF_TRIGGER = 'pipeline = $1 AND trigger_name = $2'
const FOLLOWED = `SELECT upstream FROM audience.follows WHERE ${OF_TRIGGER}`
const FOLLOWERS = 'SELECT DISTINCT pipeline, trigger_name FROM audience.follows'
const FOLLOW =
  'INSERT INTO audience.follows (pipeline, trigger_name, upstream) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING'
const UNFOLLOW = `DELETE FROM audience.follows WHERE ${OF_TRIGGER} AND upstream <> ALL($3)`
const DROP_UNFOLLOWED = `DELETE FROM audience.ends WHERE ${OF_TRIGGER} AND upstream <> ALL($3) AND key IS NULL`
const WAITING = 'SELECT DISTINCT pipeline, trigger_name FROM audience.ends WHERE key IS NULL'
/** Lets only one process at a time make sets for a trigger. */
const LOCK = `INSERT INTO audience.triggers AS known (pipeline, name) VALUES ($1, $2)
  ON CONFLICT (pipeline, name) DO UPDATE SET name = known.name`
const DROP = `DELETE FROM audience.ends WHERE ${OF_TRIGGER} AND run_id = ANY($3) AND key IS NULL`
const OPEN_AMONG = `SELECT run_id FROM audience.ends WHERE ${OF_TRIGGER} AND run_id = ANY($3) AND key IS NULL`
const TAKE = `UPDATE audience.ends SET key = $4, origin = $5, mark = $6 WHERE ${OF_TRIGGER} AND run_id = $3`
const TAKEN = `SELECT mark, key, upstream FROM audience.ends WHERE ${OF_TRIGGER} AND mark = ANY($3)`
const AFTER = `SELECT o.* FROM audience.ends JOIN audience.occurrences AS o USING (pipeline, trigger_name, key)
  WHERE ends.run_id = $1 ORDER BY o.at, o.id`
/** Follows each open end back to the first run that it repeats. */
const OPEN = `WITH RECURSIVE way (run_id, origin, before) AS (
    SELECT ends.run_id, ends.run_id, runs.seeded_from
      FROM audience.ends LEFT JOIN audience.runs ON runs.run_id = ends.run_id
      WHERE ends.pipeline = $1 AND ends.trigger_name = $2 AND ends.key IS NULL
    UNION ALL
    SELECT way.run_id, way.before, runs.seeded_from
      FROM way LEFT JOIN audience.runs ON runs.run_id = way.before WHERE way.before IS NOT NULL
  )
  SELECT ends.run_id AS ended, ends.upstream, ends.at AS ended_at, way.origin, runs.status, runs.profile, runs.service,
    first.trigger_kind AS started_by, o.*,
    EXISTS (SELECT 1 FROM audience.ends AS other WHERE other.pipeline = $1 AND other.trigger_name = $2
      AND other.origin = way.origin AND other.key IS NOT NULL) AS is_counted
  FROM audience.ends JOIN way ON way.run_id = ends.run_id AND way.before IS NULL
    LEFT JOIN audience.runs ON runs.run_id = ends.run_id
    LEFT JOIN audience.runs AS first ON first.run_id = way.origin
    LEFT JOIN audience.occurrences AS o ON o.run_id = way.origin AND o.state = 'ran'
  WHERE ends.pipeline = $1 AND ends.trigger_name = $2 AND ends.key IS NULL
  ORDER BY ends.at, ends.run_id`

function openEndOf(row: Row, here: RecordedService): OpenEnd {
  return {
    runId: String(row.ended),
    pipeline: String(row.upstream),
    at: Number(row.ended_at),
    // Only the writer of runs writes this column.
    status: textColumn(row.status) as OpenEnd['status'],
    isOurs: row.profile !== null && isOfService(recordedService(row), here),
    origin: String(row.origin),
    startedBy: textColumn(row.started_by) ?? '',
    occurrence: textColumn(row.key) === undefined ? undefined : occurrenceOf(row),
    isCounted: Boolean(row.is_counted),
  }
}
