import type { DatabaseSync } from 'node:sqlite'
import { HOUR_MS } from '../../core/duration.ts'
import { LEARNED_VERDICTS } from '../../core/guard.ts'
import { parseJson } from '../../core/json.ts'
import type { StoredRecord } from '../../core/run.ts'
import type { FigureFilter, GuardFilter, HourFilter, PageKey, RunFilter, RunRow, Submitted } from '../run-history.ts'
import type { ServiceAtHand } from '../service-at-hand.ts'
import { addLookFilter, addRunFilter, type BoundedFilter, lookOf } from '../sql/filters.ts'
import { hourCounts } from '../sql/hour-counts.ts'
import {
  blockedOf,
  countsOf,
  figureOf,
  guardValueOf,
  pageKey,
  pageOf,
  recordedService,
  runRow,
  text,
} from '../sql/run-row.ts'
import { sentDecisions } from '../sql/sent-message.ts'
import { storedRecord } from '../sql/stored-record.ts'
import type { ReadableState } from '../state.ts'
import { stateDamaged } from '../state-damage.ts'
import { Conditions } from './conditions.ts'
import { LAST_CHANGE } from './last-change.ts'
import { type StoredData, unpackRecords } from './packed-records.ts'

type Reading = ReadableState['runs']

/** The reads of a RunHistory, without promises. */
export type RunReads = {
  readonly [Name in keyof Reading]: (...args: Parameters<Reading[Name]>) => Awaited<ReturnType<Reading[Name]>>
}

/** The limit that SQLite takes for none. */
const ALL = -1

/** For N values of a guard, N times this many runs are read: not every run has one. */
const RUNS_PER_VALUE = 4

/** If a run's service is unknown, only the profile counts. */
const OF_SERVICE = 'profile = ? AND (service IS NULL OR service IS ?)'

/** Reads runs from the state database. `living` returns the owners that live; it is called only if that matters. */
export function createRunReads(db: DatabaseSync, living: () => ReadonlySet<string>, here: ServiceAtHand): RunReads {
  const { profile } = here
  const service = here.service ?? null
  const select = 'SELECT runs.*, owners.pid, owners.host FROM runs LEFT JOIN owners USING (owner)'
  const byId = db.prepare(`${select} WHERE run_id = ?`)
  const recordsAfter = db.prepare('SELECT seq, at, data FROM records WHERE run_id = ? AND seq > ? ORDER BY seq LIMIT ?')
  const packed = db.prepare('SELECT data FROM packed_records WHERE run_id = ?')
  const messagesOf = db.prepare('SELECT data FROM messages WHERE run_id = ? ORDER BY id')
  const blocked = db.prepare(`
    SELECT blocked.* FROM blocked JOIN runs USING (run_id)
    WHERE finished_at IS NULL AND (:runs IS NULL OR run_id IN (SELECT value FROM json_each(:runs)))
    ORDER BY run_id, step LIMIT :limit`)
  const documentOf = db.prepare('SELECT text FROM documents JOIN runs ON document = id WHERE run_id = ?')
  const exact = db.prepare('SELECT run_id FROM runs WHERE run_id = ?')
  const shortened = db.prepare(`
    SELECT run_id FROM runs
    WHERE instr(run_id, :text) > 0
      AND (substr(run_id, 1, length(:text)) = :text OR instr(run_id, '-' || :text) > 0 OR substr(run_id, -length(:text)) = :text)
    ORDER BY run_id DESC LIMIT :limit`)
  const changed = db.prepare(`${select} WHERE updated_seq > ? ORDER BY updated_seq LIMIT ?`)
  const lastChange = db.prepare(LAST_CHANGE)
  const owners = db.prepare('SELECT DISTINCT owner FROM runs WHERE finished_at IS NULL')
  const unfinished = db.prepare(
    `SELECT run_id, submitted_at FROM runs
     WHERE owner IS ? AND ${OF_SERVICE} AND finished_at IS NULL AND status <> 'queued'`,
  )
  const lastSuccess = db.prepare(
    `${select} WHERE pipeline = ? AND status = 'succeeded' AND ${OF_SERVICE} ORDER BY submitted_at DESC, run_id DESC LIMIT 1`,
  )
  const unfinishedServices = db.prepare(
    `SELECT profile, service, count(*) AS runs, min(run_id) AS oldest FROM runs WHERE finished_at IS NULL
     GROUP BY profile, service ORDER BY profile, service`,
  )
  // Jumps from one name to the next in the index, so the number of runs per name does not matter.
  const pipelines = db.prepare(`
    WITH RECURSIVE names (name) AS (
      SELECT min(pipeline) FROM runs
      UNION ALL SELECT (SELECT min(pipeline) FROM runs WHERE pipeline > name) FROM names WHERE name IS NOT NULL)
    SELECT name FROM names WHERE name IS NOT NULL`)
  const expired = db.prepare(`
    SELECT run_id FROM runs AS r
    WHERE pipeline = :pipeline AND submitted_at < :before AND finished_at < :before
      AND (:keep = 0 OR (submitted_at, run_id) < (
        SELECT submitted_at, run_id FROM runs WHERE pipeline = :pipeline AND finished_at IS NOT NULL
        ORDER BY submitted_at DESC, run_id DESC LIMIT 1 OFFSET :keep - 1))
      AND (status <> 'succeeded' OR EXISTS (
        SELECT 1 FROM runs AS newer WHERE pipeline = :pipeline AND status = 'succeeded'
          AND newer.profile = r.profile AND newer.service IS r.service
          AND (newer.submitted_at, newer.run_id) > (r.submitted_at, r.run_id)))
    ORDER BY submitted_at, run_id LIMIT :limit`)
  // Without the index it goes through all runs, in the order of their statuses.
  const count = db.prepare(
    'SELECT status, count(*) AS runs FROM runs INDEXED BY unfinished_by_owner WHERE finished_at IS NULL GROUP BY status',
  )
  const ended = db.prepare(
    'SELECT status, count(*) AS runs FROM runs INDEXED BY runs_by_end WHERE finished_at >= ? GROUP BY status',
  )
  const inPart = db.prepare(
    `SELECT count(*) AS runs FROM runs INDEXED BY runs_by_end
      WHERE finished_at >= ? AND status = 'succeeded' AND failures > 0`,
  )
  const hours = db.prepare(
    `SELECT json_group_array(hour) AS hours, json_group_array(status) AS statuses, json_group_array(runs) AS runs
      FROM run_hours WHERE hour >= ? AND hour < ? AND pipeline = ?`,
  )
  const figures = db.prepare(`
    SELECT run_id, step, name, value
    FROM (SELECT run_id, submitted_at FROM runs WHERE pipeline = :pipeline ORDER BY submitted_at DESC, run_id DESC LIMIT :limit)
      JOIN run_figures USING (run_id)
    WHERE (:step IS NULL OR step = :step) AND (:name IS NULL OR name = :name)
    ORDER BY submitted_at DESC, run_id DESC, step, name`)

  // A limit on the runs that are looked at bounds the time.
  const guardValues = db.prepare(`
    SELECT run_id, item, value, verdict FROM (
      SELECT run_id, submitted_at, item, value, verdict,
        row_number() OVER (PARTITION BY item ORDER BY submitted_at DESC, run_id DESC) AS rank
      FROM (SELECT run_id, submitted_at FROM runs
          WHERE pipeline = :pipeline AND (:of IS NULL OR status = 'succeeded')
            AND profile = :profile AND (service IS NULL OR service IS :service)
          ORDER BY submitted_at DESC, run_id DESC LIMIT :limit * ${RUNS_PER_VALUE})
        JOIN run_guards USING (run_id)
      WHERE step = :step AND (:of IS NULL OR of = :of AND verdict IN (${LEARNED_VERDICTS.map((one) => `'${one}'`).join(', ')})))
    WHERE rank <= :limit ORDER BY submitted_at DESC, run_id DESC, item`)

  /** Reads the living owners once for several rows, and only if one of them has an owner. */
  function toRows(rows: readonly Record<string, unknown>[]): RunRow[] {
    let known: ReadonlySet<string> | undefined
    const lives = (owner: unknown) => {
      known ??= living()
      return known.has(String(owner))
    }
    return rows.map((row) => runRow(row, lives))
  }

  /** The last run that a page looks at; undefined if it looks at all runs. */
  function endOfLook(filter: RunFilter): PageKey | undefined {
    const look = lookOf(filter)
    if (look === undefined) return undefined
    const conditions = new Conditions()
    addLookFilter(conditions, filter)
    const query = db.prepare(
      `SELECT submitted_at, run_id FROM runs ${conditions.where} ORDER BY submitted_at DESC, run_id DESC LIMIT 1 OFFSET ?`,
    )
    const row = query.get(...conditions.values, look - 1)
    return row && pageKey(row)
  }

  /** In this order, because a run may be packed meanwhile. */
  function stored(runId: string, after: number, limit: number): readonly StoredData[] {
    const rows = recordsAfter.all(runId, after, limit)
    const row = rows.length > 0 ? undefined : packed.get(runId)
    try {
      if (row) return unpackRecords(row.data).slice(after + 1)
      return rows.map(({ seq, at, data }) => ({ seq: Number(seq), at: Number(at), data: parseJson(String(data)) }))
    } catch (error) {
      throw stateDamaged(db.location() ?? 'memory', `the records of run ${runId} cannot be read`, error)
    }
  }

  function recordOf(runId: string, stored: StoredData): StoredRecord {
    return storedRecord(stored, stored.seq === 0 ? text(documentOf.get(runId)?.text) : undefined)
  }

  return {
    find: (runId) => toRows(byId.all(runId))[0],
    records: (runId, after = -1) => stored(runId, after, ALL).map((data) => recordOf(runId, data)),
    decisionsSent: (runId) => sentDecisions(messagesOf.all(runId)),
    blocked: ({ runIds, limit }) => blocked.all({ runs: runIds ? JSON.stringify(runIds) : null, limit }).map(blockedOf),
    // Only the journal writes records.
    submission: (runId) => stored(runId, -1, 1)[0]?.data as Submitted | undefined,
    named(part, limit) {
      const whole = exact.get(part)
      if (whole) return [String(whole.run_id)]
      return part === '' ? [] : shortened.all({ text: part, limit }).map((row) => String(row.run_id))
    },
    page(filter) {
      const end = endOfLook(filter)
      const conditions = conditionsOf({ ...filter, end }, living)
      const query = db.prepare(`${select} ${conditions.where} ORDER BY submitted_at DESC, run_id DESC LIMIT ?`)
      return pageOf(toRows(query.all(...conditions.values, filter.limit)), filter.limit, end)
    },
    changedSince(sequence, limit) {
      const found = changed.all(sequence, limit)
      return { rows: toRows(found), sequence: Number(found.at(-1)?.updated_seq ?? sequence) }
    },
    lastChange: () => Number(lastChange.get()?.change),
    counts: () => ({ queued: 0, running: 0, waiting: 0, ...countsOf(count.all()) }),
    endedSince: (since) => ({ succeeded: 0, failed: 0, cancelled: 0, ...countsOf(ended.all(since)) }),
    succeededInPart: (since) => Number(inPart.get(since)?.runs),
    countsByHour: ({ from, to, pipeline = '' }: HourFilter) =>
      hourCounts(hours.get(Math.floor(from / HOUR_MS), Math.ceil(to / HOUR_MS), pipeline)),
    figures: ({ pipeline, step, name, limit }: FigureFilter) =>
      figures.all({ pipeline, step: step ?? null, name: name ?? null, limit }).map(figureOf),
    guardValues: ({ pipeline, step, goodOf, limit }: GuardFilter) =>
      guardValues.all({ pipeline, step, of: goodOf ?? null, limit, profile, service }).map(guardValueOf),
    orphans() {
      const alive: ReadonlySet<unknown> = living()
      const dead = owners.all().flatMap((row) => (alive.has(row.owner) ? [] : [text(row.owner) ?? null]))
      return dead
        .flatMap((id) => unfinished.all(id, profile, service))
        .sort((a, b) => Number(a.submitted_at) - Number(b.submitted_at))
        .map((row) => String(row.run_id))
    },
    unfinishedServices: () =>
      unfinishedServices.all().map((row) => ({
        ...recordedService(row),
        runs: Number(row.runs),
        oldestRunId: String(row.oldest),
      })),
    lastSuccess: (pipeline) => toRows(lastSuccess.all(pipeline, profile, service))[0],
    pipelines: () => pipelines.all().map(({ name }) => String(name)),
    expired: ({ pipeline, before, keep, limit }) =>
      expired.all({ pipeline, before, keep, limit }).map((row) => String(row.run_id)),
  }
}

function conditionsOf(filter: BoundedFilter, living: () => ReadonlySet<string>): Conditions {
  const conditions = new Conditions()
  addRunFilter(conditions, filter, (column) => `${column} LIKE ? ESCAPE '\\'`)
  if (filter.ownerless) {
    const alive = [...living()]
    conditions.add(`(owner IS NULL OR owner NOT IN (${alive.map(() => '?').join(', ')}))`, ...alive)
  }
  return conditions
}
