import { parseJson } from '../../core/json.ts'
import type { StoredRecord } from '../../core/run.ts'
import type { RunHistory, RunRow, Submitted } from '../run-history.ts'
import { blockedOf, runRow, text } from '../sql/run-row.ts'
import { sentDecisions } from '../sql/sent-message.ts'
import { storedRecord } from '../sql/stored-record.ts'
import type { Row } from '../sql/work.ts'
import type { Database } from './database.ts'

/** Runs with the process of their owner, if that lives, and whether a process lives that takes those without one. */
export const SELECT_RUNS = `SELECT runs.*, workers.pid, workers.host,
    EXISTS (SELECT 1 FROM audience.roles WHERE roles.expires_at > now()) AS has_keeper FROM audience.runs
  LEFT JOIN audience.workers ON workers.executor = runs.executor AND expires_at > now() AND finished_at IS NULL`

export function rowOf(row: Row): RunRow {
  const isQueued = row.executor === null && row.finished_at === null && row.status !== 'queued'
  return {
    ...runRow(row, () => true),
    // Each worker of `audience start` becomes the keeper if there is none.
    ...(isQueued && { queuedFor: row.has_keeper === true ? 'worker' : 'noWorker' }),
  }
}

type Lookups = Pick<RunHistory, 'find' | 'records' | 'decisionsSent' | 'blocked' | 'submission' | 'named'>

/** Of each run in their order. */
const RECORDS = `
  SELECT run_id, seq, at, data, CASE WHEN seq = 0 THEN
    (SELECT text FROM audience.documents JOIN audience.runs ON document = digest WHERE runs.run_id = asked.run_id) END AS document
  FROM unnest($1::text[]) AS asked (run_id) CROSS JOIN LATERAL (
    SELECT seq, at, data FROM audience.records WHERE records.run_id = asked.run_id AND seq > $2 ORDER BY seq) AS found`

/** The reads of one run. */
export function runLookups(db: Database): Lookups {
  return {
    async find(runId) {
      const row = await db.row(`${SELECT_RUNS} WHERE run_id = $1`, [runId])
      return row && rowOf(row)
    },
    records: async (runId, after = -1) => (await db.rows(RECORDS, [[runId], after])).map(recordOf),
    async decisionsSent(runId) {
      return sentDecisions(await db.rows('SELECT data FROM audience.messages WHERE run_id = $1 ORDER BY id', [runId]))
    },
    async blocked({ runIds, limit }) {
      const rows = await db.rows(
        `SELECT blocked.* FROM audience.blocked JOIN audience.runs USING (run_id)
          WHERE finished_at IS NULL AND ($1::text[] IS NULL OR run_id = ANY ($1)) ORDER BY run_id, step LIMIT $2`,
        [runIds ?? null, limit],
      )
      return rows.map(blockedOf)
    },
    async submission(runId) {
      const row = await db.row('SELECT data FROM audience.records WHERE run_id = $1 AND seq = 0', [runId])
      // Only the writer of runs writes records.
      return row && (parseJson(String(row.data)) as unknown as Submitted)
    },
    async named(part, limit) {
      if (part === '') return []
      const whole = await db.row('SELECT run_id FROM audience.runs WHERE run_id = $1', [part])
      if (whole) return [part]
      const rows = await db.rows(
        `SELECT run_id FROM audience.runs
          WHERE position($1 IN run_id) > 0
            AND (starts_with(run_id, $1) OR position('-' || $1 IN run_id) > 0 OR right(run_id, length($1)) = $1)
          ORDER BY run_id DESC LIMIT $2`,
        [part, limit],
      )
      return rows.map((row) => String(row.run_id))
    },
  }
}

/** Reads the records of several runs, and returns what gives those of one. */
export async function recordsOf(
  db: Database,
  runIds: readonly string[],
): Promise<(runId: string) => readonly StoredRecord[]> {
  const rows = Map.groupBy(await db.rows(RECORDS, [runIds, -1]), (row) => row.run_id)
  return (runId) => (rows.get(runId) ?? []).map(recordOf)
}

function recordOf({ seq, at, data, document }: Row): StoredRecord {
  return storedRecord({ seq: Number(seq), at: Number(at), data: parseJson(String(data)) }, text(document))
}
