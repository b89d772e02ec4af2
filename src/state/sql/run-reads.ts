import { HOUR_MS } from '../../core/duration.ts'
import { FINAL_STATUSES, UNFINISHED_STATUSES } from '../../core/format/statuses.ts'
import { LEARNED_VERDICTS } from '../../core/guard.ts'
import type { ServiceAtHand } from '../../core/service-ref.ts'
import type { PageKey, RunFilter, RunRow } from '../run-history.ts'
import type { ReadableState } from '../state.ts'
import { addLookFilter, addRunFilter, Conditions, lookOf } from './filters.ts'
import { sentDecisions } from './messages.ts'
import {
  blockedOf,
  countsOf,
  figureOf,
  guardValueOf,
  hourCounts,
  pageKey,
  pageOfRuns,
  partnerWaitOf,
  recordedService,
  runMark,
} from './run-row.ts'
import { type Row, rowOf, rowsOf, textList, type Work } from './work.ts'

type Reading = ReadableState['runs']

/** The reads of a RunHistory, as work for a driver. */
export type ReadWorks = {
  readonly [Name in keyof Reading]: (...args: Parameters<Reading[Name]>) => Work<Awaited<ReturnType<Reading[Name]>>>
}

/** The SQL that differs between stores. */
export interface ReadDialect extends Pick<ReadWorks, 'records' | 'submission' | 'orphans' | 'lastChange'> {
  /** Selects runs, with what `toRows` needs. */
  readonly runs: string
  readonly toRows: (rows: readonly Row[]) => RunRow[]
  /** The condition that a column matches a LIKE pattern, ignoring case, with `\` as the escape character. */
  readonly isLike: (column: string) => string
  readonly addOwnerless: (conditions: Conditions) => void
  /** Names the index to use for a table, if the database would not choose it on its own. */
  readonly by: (index: string) => string
  /** Collects the values of a column from several rows, as the text of a JSON list. */
  readonly list: (column: string) => string
  /**
   * Selects the numbers of the `$2` newest runs of the pipeline `$1`. `$3` may name a step, and `$4` may name an
   * output.
   */
  readonly figures: string
  /** Selects the columns for `runMark`, for the `$2` newest runs of each of the pipelines `$1`. */
  readonly newest: string
}

/** To find N values of a guard, N times this many runs are read, because not every run has one. */
const RUNS_PER_VALUE = 4

export function runReads(dialect: ReadDialect, here: ServiceAtHand): ReadWorks {
  const { runs, toRows } = dialect
  const place = [here.profile, here.service]

  /** The last run that a page looks at; undefined if it looks at all runs. */
  function* endOfLook(filter: RunFilter): Work<PageKey | undefined> {
    const look = lookOf(filter)
    if (look === undefined) return undefined
    const conditions = new Conditions()
    addLookFilter(conditions, filter)
    const before = conditions.value(look - 1)
    const row = yield* rowOf(
      `SELECT submitted_at, run_id FROM audience.runs ${conditions.where} ${NEWEST_FIRST} LIMIT 1 OFFSET ${before}`,
      conditions.values,
    )
    return row && pageKey(row)
  }

  /** The unfinished ancestors of these runs. They wait for the same partners. */
  function* runsAbove(below: readonly Row[]): Work<Row[]> {
    const known = new Set(below.map(idOf))
    const found: Row[] = []
    for (let rows = below; rows.length > 0; found.push(...rows)) {
      const parents = rows.flatMap((row) => (row.trigger_kind === 'run' ? String(row.trigger_label) : []))
      const unknown = [...new Set(parents)].filter((runId) => !known.has(runId))
      for (const runId of unknown) known.add(runId)
      const which = 'WHERE run_id = ANY($1) AND finished_at IS NULL'
      rows = unknown.length === 0 ? [] : yield* rowsOf(`${runs} ${which}`, [unknown])
    }
    return found
  }

  /** Counts by status. The condition `which` is true only for runs with one of `statuses`. */
  function* counted<Status extends string>(
    statuses: readonly Status[],
    { which, index, values }: { which: string; index: string; values?: readonly number[] },
  ): Work<Record<Status, number>> {
    const from = `FROM audience.runs ${dialect.by(index)} WHERE ${which} GROUP BY status`
    return countsOf(statuses, yield* rowsOf(`SELECT status, count(*) AS runs ${from}`, values))
  }

  return {
    records: dialect.records,
    submission: dialect.submission,
    orphans: dialect.orphans,
    lastChange: dialect.lastChange,
    *find(runId) {
      return toRows(yield* rowsOf(`${runs} WHERE run_id = $1`, [runId]))[0]
    },
    *decisionsSent(runId) {
      return sentDecisions(yield* rowsOf('SELECT data FROM audience.messages WHERE run_id = $1 ORDER BY id', [runId]))
    },
    *blocked({ runIds, limit }) {
      const conditions = new Conditions()
      conditions.add('finished_at IS NULL')
      if (runIds) conditions.add('run_id = ANY(?)', runIds)
      const most = conditions.value(limit)
      const from = `FROM audience.blocked JOIN audience.runs USING (run_id) ${conditions.where}`
      const rows = yield* rowsOf(`SELECT blocked.* ${from} ORDER BY run_id, step LIMIT ${most}`, conditions.values)
      return rows.map(blockedOf)
    },
    *partnerWaits({ limit }) {
      return (yield* rowsOf(PARTNER_WAITS, [limit])).map(partnerWaitOf)
    },
    *named(part, limit) {
      if (part === '') return []
      if (yield* rowOf('SELECT 1 FROM audience.runs WHERE run_id = $1', [part])) return [part]
      return (yield* rowsOf(NAMED, [part, limit])).map(idOf)
    },
    *page(filter) {
      const end = yield* endOfLook(filter)
      const conditions = new Conditions()
      addRunFilter(conditions, { ...filter, end }, dialect.isLike)
      if (filter.ownerless) dialect.addOwnerless(conditions)
      const most = conditions.value(filter.limit)
      const found = yield* rowsOf(`${runs} ${conditions.where} ${NEWEST_FIRST} LIMIT ${most}`, conditions.values)
      return pageOfRuns(toRows(found), filter.limit, end)
    },
    *newestOf({ pipelines, limit }) {
      const found = yield* rowsOf(`${dialect.newest} ${NEWEST_FIRST}`, [pipelines, limit])
      const byPipeline = Map.groupBy(found, (row) => row.pipeline)
      const newest = [...byPipeline.values()].flatMap(([first]) => (first ? idOf(first) : []))
      const rows = toRows(yield* rowsOf(`${runs} WHERE run_id = ANY($1)`, [newest]))
      return rows.map((last) => ({ last, runs: (byPipeline.get(last.pipeline) ?? []).map(runMark) }))
    },
    *changedSince(sequence, limit) {
      const until = yield* dialect.lastChange()
      const found = yield* rowsOf(
        `${runs} WHERE updated_seq > $1 AND updated_seq <= $2 ORDER BY updated_seq LIMIT $3`,
        [...[sequence, until, limit]],
      )
      const rows = toRows([...found, ...(yield* runsAbove(found))])
      return { rows, sequence: Number(found.at(-1)?.updated_seq ?? sequence) }
    },
    counts: () =>
      // Without this index the query would read all runs, in order of status.
      counted(UNFINISHED_STATUSES, { which: 'finished_at IS NULL', index: 'unfinished_by_owner' }),
    endedSince: (since) =>
      counted(FINAL_STATUSES, { which: 'finished_at >= $1', index: 'runs_by_end', values: [since] }),
    *succeededInPart(since) {
      const which = `finished_at >= $1 AND status = 'succeeded' AND failures > 0`
      return (yield* counted(['succeeded'], { which, index: 'runs_by_end', values: [since] })).succeeded
    },
    *failureGroups({ since, limit }) {
      const groups = failureGroups(dialect.by('failed_runs_by_end'))
      const found = yield* rowsOf(groups, [since, limit])
      const newest = found.map(idOf)
      const rows = toRows(yield* rowsOf(`${runs} WHERE run_id = ANY($1)`, [newest]))
      return found.flatMap((group) => {
        const run = rows.find(({ runId }) => runId === group.run_id)
        const [failures, firstAt, lastAt] = [Number(group.failures), Number(group.first_at), Number(group.last_at)]
        return run ? [{ run, failures, firstAt, lastAt }] : []
      })
    },
    *countsByHour({ from, to, pipeline = '' }) {
      const { list } = dialect
      return hourCounts(
        yield* rowOf(
          `SELECT ${list('hour')} AS hours, ${list('status')} AS statuses, ${list('runs')} AS runs
            FROM audience.run_hours WHERE pipeline = $1 AND hour >= $2 AND hour < $3`,
          [pipeline, Math.floor(from / HOUR_MS), Math.ceil(to / HOUR_MS)],
        ),
      )
    },
    *figures({ pipeline, step, name, limit }) {
      return (yield* rowsOf(dialect.figures, [pipeline, limit, step, name])).map(figureOf)
    },
    *guardValues({ pipeline, step, goodOf, limit }) {
      const values = [pipeline, goodOf, ...place, limit * RUNS_PER_VALUE, step, limit]
      return (yield* rowsOf(GUARD_VALUES, values)).map(guardValueOf)
    },
    *unfinishedServices() {
      return (yield* rowsOf(UNFINISHED_SERVICES)).map((row) => ({
        ...recordedService(row),
        runs: Number(row.runs),
        oldestRunId: String(row.oldest),
      }))
    },
    *lastSuccess(pipeline) {
      const which = `WHERE pipeline = $1 AND status = 'succeeded' AND ${ofService('$2', '$3')}`
      return toRows(yield* rowsOf(`${runs} ${which} ${NEWEST_FIRST} LIMIT 1`, [pipeline, ...place]))[0]
    },
    *pipelines() {
      return (yield* rowsOf(PIPELINES)).map(({ name }) => String(name))
    },
    *expired({ pipeline, before, keep, limit }) {
      return (yield* rowsOf(EXPIRED, [pipeline, before, keep, limit])).map(idOf)
    },
  }
}

export function idOf(row: Row): string {
  return String(row.run_id)
}

/**
 * `by` names the index to use, because the database would not choose it on its own. `newest` is the run that ended
 * last. To find it, the end of each run, as a number of 16 digits, is put before the id of the run. The ids alone are
 * not enough: if two runs were submitted in one second, they do not say which run is newer.
 */
function failureGroups(by: string): string {
  return `SELECT failures, first_at, last_at, newest AS run_id
    FROM (SELECT pipeline, error_key, count(*) AS failures, min(finished_at) AS first_at, max(finished_at) AS last_at,
        substr(max((finished_at + 1000000000000000) || run_id), 17) AS newest
      FROM audience.runs ${by} WHERE status = 'failed' AND finished_at >= $1 GROUP BY pipeline, error_key) AS kinds
    LEFT JOIN audience.acknowledged AS seen ON seen.pipeline = kinds.pipeline AND seen.error_key = kinds.error_key
      AND (ended_at IS NULL OR last_at <= ended_at)
    ORDER BY CASE WHEN seen.at IS NULL THEN 0 ELSE 1 END, last_at DESC, newest DESC LIMIT $2`
}

/** If a run's service is unknown, only the profile counts. */
export function ofService(profile: string, service: string): string {
  return `profile = ${profile} AND (service IS NULL OR service IS NOT DISTINCT FROM ${service})`
}

/** Selects the run that `run` selects, and its unfinished descendants. */
export function below(run: string): string {
  return `WITH RECURSIVE below (id) AS (
    ${run} UNION SELECT child.run_id FROM below JOIN audience.runs AS child ON child.trigger_label = below.id
      WHERE child.trigger_kind = 'run' AND child.finished_at IS NULL)`
}

/** The column with the partners that a run and its unfinished descendants wait for. `list` makes a JSON list. */
export function partnerWaitsIn(list: (values: string) => string): string {
  return `CASE WHEN finished_at IS NULL THEN (
    ${below('SELECT runs.run_id')}
    SELECT ${list('count(*), count(DISTINCT counterpart), min(counterpart), min(since)')}
    FROM audience.partner_waits WHERE partner_waits.run_id IN (SELECT id FROM below)) END AS partner_waits`
}

/** The column that says who has acknowledged the failure of a run. `list` makes a JSON list. */
export function acknowledgedIn(list: (values: string) => string): string {
  return `CASE WHEN status = 'failed' THEN (
    SELECT ${list('at, who, comment')} FROM audience.acknowledged AS seen
    WHERE seen.pipeline = runs.pipeline AND seen.error_key = runs.error_key
      AND (ended_at IS NULL OR runs.finished_at <= ended_at)) END AS acknowledged`
}

/** The join starts with the few steps that are waiting. */
const PARTNER_WAITS = `SELECT partner_waits.*, pipeline FROM audience.partner_waits JOIN audience.runs USING (run_id)
  WHERE finished_at IS NULL ORDER BY since, run_id, step LIMIT $1`

const NEWEST_FIRST = 'ORDER BY submitted_at DESC, run_id DESC'

const NAMED = `SELECT run_id FROM audience.runs
  WHERE strpos(run_id, $1) > 0 AND (substr(run_id, 1, length($1)) = $1 OR strpos(run_id, '-' || $1) > 0
    OR substr(run_id, length(run_id) - length($1) + 1) = $1)
  ORDER BY run_id DESC LIMIT $2`

/** Looks at a limited number of runs, which limits the time. */
const GUARD_VALUES = `SELECT run_id, item, value, verdict FROM (
    SELECT run_id, submitted_at, item, value, verdict,
      row_number() OVER (PARTITION BY item ${NEWEST_FIRST}) AS rank
    FROM (SELECT run_id, submitted_at FROM audience.runs
        WHERE pipeline = $1 AND ($2::text IS NULL OR status = 'succeeded') AND ${ofService('$3', '$4')}
        ${NEWEST_FIRST} LIMIT $5) AS newest
      JOIN audience.run_guards USING (run_id)
    WHERE step = $6 AND ($2 IS NULL OR of = $2
      AND verdict IN (${textList(LEARNED_VERDICTS)}))) AS ranked
  WHERE rank <= $7 ${NEWEST_FIRST}, item`

const UNFINISHED_SERVICES = `SELECT profile, service, count(*) AS runs, min(run_id) AS oldest FROM audience.runs
  WHERE finished_at IS NULL GROUP BY profile, service ORDER BY profile, service NULLS FIRST`

/** Jumps from one name to the next in the index, so the number of runs of each name does not matter. */
const PIPELINES = `WITH RECURSIVE names (name) AS (
    SELECT min(pipeline) FROM audience.runs
    UNION ALL
    SELECT (SELECT min(pipeline) FROM audience.runs WHERE pipeline > name) FROM names WHERE name IS NOT NULL)
  SELECT name FROM names WHERE name IS NOT NULL`

/**
 * Selects at most `$4` runs of the pipeline `$1` that ended before `$2` and can be removed, oldest first. Keeps the
 * newest `$3` ended runs, and the last success with each service. The subquery that looks for a newer success reads in
 * order, because PostgreSQL would otherwise read the table from its start for each run.
 */
const EXPIRED = `SELECT run_id FROM audience.runs AS r
  WHERE pipeline = $1 AND submitted_at < $2 AND finished_at < $2
    AND (submitted_at, run_id) <= (
      SELECT submitted_at, run_id FROM audience.runs WHERE pipeline = $1 AND finished_at IS NOT NULL
      ${NEWEST_FIRST} LIMIT 1 OFFSET $3)
    AND (status <> 'succeeded' OR (
      SELECT run_id FROM audience.runs AS newer WHERE pipeline = $1 AND status = 'succeeded'
        AND newer.profile = r.profile AND newer.service IS NOT DISTINCT FROM r.service
        AND (newer.submitted_at, newer.run_id) > (r.submitted_at, r.run_id)
      ORDER BY submitted_at, run_id LIMIT 1) IS NOT NULL)
  ORDER BY submitted_at, run_id LIMIT $4::bigint + 0`
