import type { StoredRecord } from '../../core/run.ts'
import type { ServiceAtHand } from '../../core/service-ref.ts'
import type { RunRow } from '../run-history.ts'
import { acknowledgedIn, idOf, ofService, partnerWaitsIn, type ReadWorks, runReads } from '../sql/run-reads.ts'
import { MARK, runRow, textColumn } from '../sql/run-row.ts'
import { storedData, storedRecord, submissionOf } from '../sql/stored-record.ts'
import { type Row, rowOf, rowsOf, type Work } from '../sql/work.ts'
import { TAKES_RUNS } from './worker-rows.ts'

/** Reads runs from the database. */
export function postgresReads(here: ServiceAtHand): ReadWorks {
  return runReads(
    {
      runs: RUNS,
      toRows: (rows) => rows.map(toRow),
      // ILIKE takes twice the time, because it converts the pattern to lower case again for each row.
      isLike: (column) => `lower(${column}) LIKE lower(?)`,
      addOwnerless: (conditions) => conditions.add(NO_OWNER),
      by: () => '',
      list: (column) => `array_to_json(array_agg(${column}))::text`,
      figures: FIGURES,
      newest: NEWEST,
      *records(runId, after = -1) {
        return (yield* rowsOf(RECORDS, [[runId], after])).map(recordOf)
      },
      *submission(runId) {
        const row = yield* rowOf('SELECT seq, at, data FROM audience.records WHERE run_id = $1 AND seq = 0', [runId])
        return row && submissionOf(storedData({ seq: row.seq, at: row.at, data: row.data }))
      },
      *orphans() {
        return (yield* rowsOf(ORPHANS, [here.profile, here.service])).map(idOf)
      },
      *lastChange() {
        return Number((yield* rowOf(SETTLED))?.change)
      },
    },
    here,
  )
}

/** Reads the records of several runs after a position. Returns a function that returns the records of one run. */
export function* recordsOf(runIds: readonly string[], after = -1): Work<(runId: string) => readonly StoredRecord[]> {
  const rows = Map.groupBy(yield* rowsOf(RECORDS, [runIds, after]), (row) => row.run_id)
  return (runId) => (rows.get(runId) ?? []).map(recordOf)
}

function toRow(row: Row): RunRow {
  const isQueued = row.executor === null && row.finished_at === null && row.status !== 'queued'
  const queuedFor = row.has_worker === true ? 'worker' : 'noWorker'
  return { ...runRow(row, () => true), queuedFor: isQueued ? queuedFor : undefined }
}

function recordOf({ seq, at, data, document }: Row): StoredRecord {
  return storedRecord(storedData({ seq, at, data }), textColumn(document))
}

const PARTNER_WAITS = partnerWaitsIn((values) => `json_build_array(${values})::text`)
const ACKNOWLEDGED = acknowledgedIn((values) => `json_build_array(${values})::text`)

/**
 * Selects runs with the process that owns them, if it is alive, and whether a living process takes runs without an
 * owner.
 */
const RUNS = `SELECT runs.*, workers.pid, workers.host,
    EXISTS (SELECT 1 FROM audience.workers WHERE ${TAKES_RUNS}) AS has_worker,
    ${PARTNER_WAITS}, ${ACKNOWLEDGED}
  FROM audience.runs
  LEFT JOIN audience.workers ON workers.executor = runs.executor AND expires_at > now() AND finished_at IS NULL`

/** The records of each run, in order. */
const RECORDS = `
  SELECT run_id, seq, at, data, CASE WHEN seq = 0 THEN
    (SELECT text FROM audience.documents JOIN audience.runs ON document = digest WHERE runs.run_id = asked.run_id) END AS document
  FROM unnest($1::text[]) AS asked (run_id) CROSS JOIN LATERAL (
    SELECT seq, at, data FROM audience.records WHERE records.run_id = asked.run_id AND seq > $2 ORDER BY seq) AS found`

const NO_OWNER = `NOT EXISTS (
  SELECT 1 FROM audience.workers AS w WHERE w.executor = runs.executor AND w.expires_at > now())`

const ORPHANS = `SELECT run_id FROM audience.runs
  WHERE finished_at IS NULL AND status <> 'queued' AND executor IS NOT NULL
    AND ${ofService('$1', '$2')} AND ${NO_OWNER}
  ORDER BY submitted_at, run_id`

const NEWEST = `SELECT newest.* FROM unnest($1::text[]) AS asked (name) CROSS JOIN LATERAL (
    SELECT ${MARK}, ${PARTNER_WAITS} FROM audience.runs WHERE pipeline = asked.name
    ORDER BY submitted_at DESC, run_id DESC LIMIT $2) AS newest`

const FIGURES = `SELECT run_id, step, name, value::double precision
  FROM (SELECT run_id, submitted_at FROM audience.runs WHERE pipeline = $1
      ORDER BY submitted_at DESC, run_id DESC LIMIT $2) AS newest
    JOIN audience.figures USING (run_id)
    CROSS JOIN LATERAL jsonb_each(by_step) AS by_step (step, numbers)
    CROSS JOIN LATERAL jsonb_each(numbers) AS number (name, value)
  WHERE ($3::text IS NULL OR step = $3) AND ($4::text IS NULL OR name = $4)
  ORDER BY submitted_at DESC, run_id DESC, step COLLATE "C", name COLLATE "C"`

/**
 * The highest number up to which all changes are visible to the next statement: the lowest mark or, without marks, the
 * newest number. A transaction that numbers changes holds a mark until it ends (see `number_change` in migrations.ts).
 * The mark is the last number before its first number, in 32 bits. A transaction sets its mark before it takes a
 * number. So this reads the newest number first, and then the marks. Marks above that number do not matter.
 */
const SETTLED = `
  SELECT last_value - greatest(0, (
    SELECT max((last_value - objid::bigint) << 32 >> 32) FROM pg_locks
    WHERE locktype = 'advisory' AND classid = 1096107081 AND objsubid = 2
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))) AS change
  FROM audience.changes`
