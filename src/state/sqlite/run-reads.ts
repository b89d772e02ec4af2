import type { DatabaseSync } from 'node:sqlite'
import type { StoredRecord } from '../../core/run.ts'
import type { ServiceAtHand } from '../../core/service-ref.ts'
import type { RunRow } from '../run-history.ts'
import { acknowledgedIn, idOf, ofService, partnerWaitsIn, type ReadWorks, runReads } from '../sql/run-reads.ts'
import { MARK, runRow, textColumn } from '../sql/run-row.ts'
import { type StoredData, storedData, storedRecord, submissionOf } from '../sql/stored-record.ts'
import { type Row, rowOf, rowsOf, type Work } from '../sql/work.ts'
import { stateDamaged } from '../state-damage.ts'
import { unpackRecords } from './packed-records.ts'

/** For SQLite, this limit means no limit. */
const ALL = -1

/** Reads runs from the state database. `living` returns the living owners, and is called only if they matter. */
export function sqliteReads(db: DatabaseSync, living: () => ReadonlySet<string>, here: ServiceAtHand): ReadWorks {
  /** Reads the living owners once for several rows, and only if one of the rows has an owner. */
  function toRows(rows: readonly Row[]): RunRow[] {
    let known: ReadonlySet<string> | undefined
    const lives = (owner: unknown) => {
      known ??= living()
      return known.has(String(owner))
    }
    return rows.map((row) => runRow(row, lives))
  }

  /** Reads unpacked records first, because a run may be packed in the meantime. */
  function* stored(runId: string, after: number, limit: number): Work<readonly StoredData[]> {
    const rows = yield* rowsOf(RECORDS, [runId, after, limit])
    const row = rows.length > 0 ? undefined : yield* rowOf(PACKED, [runId])
    try {
      if (row) return unpackRecords(row.data).slice(after + 1)
      return rows.map(({ seq, at, data }) => storedData({ seq, at, data }))
    } catch (error) {
      throw stateDamaged(db.location() ?? 'memory', `the records of run ${runId} cannot be read`, error)
    }
  }

  return runReads(
    {
      runs: `SELECT runs.*, owners.pid, owners.host, ${PARTNER_WAITS}, ${ACKNOWLEDGED} FROM runs LEFT JOIN owners USING (owner)`,
      toRows,
      isLike: (column) => `${column} LIKE ? ESCAPE '\\'`,
      addOwnerless(conditions) {
        const alive = [...living()]
        conditions.add(`(owner IS NULL OR owner NOT IN (${alive.map(() => '?').join(', ')}))`, ...alive)
      },
      by: (index) => `INDEXED BY ${index}`,
      list: (column) => `json_group_array(${column})`,
      figures: FIGURES,
      newest: NEWEST,
      *records(runId, after = -1) {
        const records: StoredRecord[] = []
        for (const data of yield* stored(runId, after, ALL)) {
          const document = data.seq === 0 ? textColumn((yield* rowOf(DOCUMENT, [runId]))?.text) : undefined
          records.push(storedRecord(data, document))
        }
        return records
      },
      *submission(runId) {
        return submissionOf((yield* stored(runId, -1, 1))[0])
      },
      *orphans() {
        const alive: ReadonlySet<unknown> = living()
        const owners = yield* rowsOf('SELECT DISTINCT owner FROM runs WHERE finished_at IS NULL')
        const found: Row[] = []
        for (const { owner } of owners)
          if (!alive.has(owner)) found.push(...(yield* rowsOf(UNFINISHED, [owner, here.profile, here.service])))
        return found.sort((a, b) => Number(a.submitted_at) - Number(b.submitted_at)).map(idOf)
      },
      *lastChange() {
        return Number((yield* rowOf(LAST_CHANGE))?.change)
      },
    },
    here,
  )
}

/** SQL for the number of the last change to a run. When runs are removed, the number is kept in `checkpoints`. */
export const LAST_CHANGE = `SELECT max(
  coalesce((SELECT max(updated_seq) FROM runs), 0),
  coalesce((SELECT value FROM checkpoints WHERE name = 'runs'), 0)) AS change`

const PARTNER_WAITS = partnerWaitsIn((values) => `json_array(${values})`)
const ACKNOWLEDGED = acknowledgedIn((values) => `json_array(${values})`)
const RECORDS = 'SELECT seq, at, data FROM records WHERE run_id = $1 AND seq > $2 ORDER BY seq LIMIT $3 + 0'
const PACKED = 'SELECT data FROM packed_records WHERE run_id = $1'
const DOCUMENT = 'SELECT text FROM documents JOIN runs ON document = id WHERE run_id = $1'
const UNFINISHED = `SELECT run_id, submitted_at FROM runs
  WHERE owner IS $1 AND ${ofService('$2', '$3')} AND finished_at IS NULL AND status <> 'queued'`
/** SQLite has no lateral join, but a table-valued function may use the tables before it. */
const NEWEST = `SELECT ${MARK}, ${PARTNER_WAITS} FROM runs WHERE run_id IN (
  SELECT newest.value FROM json_each($1) AS asked, json_each((
    SELECT json_group_array(run_id) FROM (SELECT run_id FROM runs WHERE pipeline = asked.value
      ORDER BY submitted_at DESC, run_id DESC LIMIT $2))) AS newest)`
const FIGURES = `SELECT run_id, step, name, value
  FROM (SELECT run_id, submitted_at FROM runs WHERE pipeline = $1 ORDER BY submitted_at DESC, run_id DESC LIMIT $2)
    JOIN run_figures USING (run_id)
  WHERE ($3 IS NULL OR step = $3) AND ($4 IS NULL OR name = $4)
  ORDER BY submitted_at DESC, run_id DESC, step, name`
