import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { messageOf } from '../../core/message-of.ts'
import { type Contradiction, MOST_PROBLEMS, problemOfRow, type StateCheck } from '../state-check.ts'
import { isDamage } from '../state-damage.ts'
import { openForReading } from './open-for-reading.ts'
import { checkFiles, STATE_VERSION } from './open-state.ts'
import { unpackRecords } from './packed-records.ts'

const CONTRADICTIONS: readonly Contradiction[] = [
  {
    kind: 'run',
    query: `SELECT run_id, 'the run has no records' AS what FROM runs
      WHERE NOT EXISTS (SELECT 1 FROM records WHERE records.run_id = runs.run_id)
        AND NOT EXISTS (SELECT 1 FROM packed_records AS p WHERE p.run_id = runs.run_id)`,
  },
  {
    kind: 'run',
    query: `SELECT run_id, 'the records of the run are stored twice' AS what FROM packed_records
      WHERE EXISTS (SELECT 1 FROM records WHERE records.run_id = packed_records.run_id)`,
  },
  {
    kind: 'run',
    query: `SELECT run_id, 'the run is listed as ' || status || ', but its records are packed' AS what
      FROM runs JOIN packed_records USING (run_id) WHERE finished_at IS NULL`,
  },
  {
    kind: 'run',
    query: `SELECT runs.run_id, 'the run is listed as ' || status || ', but its last record says something else' AS what
      FROM runs JOIN records USING (run_id)
      WHERE seq = (SELECT max(seq) FROM records AS r WHERE r.run_id = runs.run_id) AND json_valid(data)
        AND (data ->> 'type' = 'run.finished') <> (finished_at IS NOT NULL)`,
  },
  {
    kind: 'record',
    query: `SELECT run_id, 'the run has ' || count(*) || ' records, but the last one has the number ' || max(seq) AS what
      FROM records GROUP BY run_id HAVING min(seq) <> 0 OR max(seq) <> count(*) - 1`,
  },
  {
    kind: 'record',
    query: `SELECT DISTINCT run_id, 'there are records, but no run' AS what
      FROM (SELECT run_id FROM records UNION ALL SELECT run_id FROM packed_records) AS r
      WHERE NOT EXISTS (SELECT 1 FROM runs WHERE runs.run_id = r.run_id)`,
  },
  {
    kind: 'record',
    query: `SELECT run_id, 'the packed records of the run cannot be read' AS what FROM packed_records
      WHERE NOT is_whole(data, records)`,
  },
  {
    kind: 'record',
    query: `SELECT run_id, 'record ' || seq || ' cannot be read' AS what FROM records WHERE NOT json_valid(data)`,
  },
  {
    kind: 'memory',
    query: `SELECT 'what is remembered of ' || pipeline || '/' || step || ' cannot be read' AS what FROM step_memory
      WHERE NOT json_valid(data)`,
  },
  {
    kind: 'memory',
    query: `SELECT 'what is known of ' || kind || ' ' || coalesce(id, 'of job ' || job) || ' cannot be read' AS what FROM made
      WHERE NOT json_valid(about)`,
  },
  {
    kind: 'occurrence',
    query: `SELECT 'the occurrence ' || key || ' of ' || pipeline || '/' || trigger_name || ' cannot be read' AS what
      FROM occurrences WHERE detail IS NOT NULL AND NOT json_valid(detail)`,
  },
  {
    kind: 'notification',
    query: `SELECT 'the notification ' || id || ' cannot be read' AS what FROM notifications WHERE NOT json_valid(data)`,
  },
]

/**
 * Reads a whole state and reports what is wrong. Changes nothing. Throws only if this process has no permission to read
 * it.
 */
export function checkState(file: string): StateCheck {
  try {
    checkFiles(file, statSync(file, { throwIfNoEntry: false }))
    const { db, close } = openForReading(file)
    try {
      return checkDatabase(db)
    } finally {
      close()
    }
  } catch (error) {
    if (!isDamage(error)) throw error
    return { ok: false, problems: [{ kind: 'database', message: messageOf(error) }] }
  }
}

/**
 * Checks only the pages of the database, which takes a fraction of the time. For use after an unclean stop. Returns
 * what is wrong.
 */
export function quickCheck(file: string): string | undefined {
  try {
    const { db, close } = openForReading(file)
    try {
      const found = String(db.prepare('PRAGMA quick_check(1)').get()?.quick_check)
      return found === 'ok' ? undefined : found
    } finally {
      close()
    }
  } catch (error) {
    if (isDamage(error)) return messageOf(error)
    throw error
  }
}

function checkDatabase(db: DatabaseSync): StateCheck {
  const integrity = db.prepare(`PRAGMA integrity_check(${MOST_PROBLEMS})`).all()
  const damage = integrity.map((row) => String(row.integrity_check)).filter((text) => text !== 'ok')
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version)
  // If the file is damaged, no other check is reliable. Another version may have other tables.
  const isOurs = version === STATE_VERSION
  const contradictions = damage.length > 0 || !isOurs ? [] : CONTRADICTIONS
  const rowsOf = (query: string) => db.prepare(`${query} LIMIT ${MOST_PROBLEMS}`).all()
  db.function('is_whole', { deterministic: true }, isWhole)
  const problems = [
    ...damage.map((message) => ({ kind: 'database', message }) as const),
    ...contradictions.flatMap(({ kind, query }) => rowsOf(query).map((row) => problemOfRow(kind, row))),
  ]
  const number = (query: string) => Number(db.prepare(query).get()?.number)
  return {
    ok: problems.length === 0,
    version,
    ...(damage.length === 0 && {
      runs: number('SELECT count(*) AS number FROM runs'),
      records:
        number('SELECT count(*) AS number FROM records') +
        (isOurs ? number('SELECT coalesce(sum(records), 0) AS number FROM packed_records') : 0),
    }),
    problems,
  }
}

/** Whether packed records can be read, are complete, and end with the end of the run. */
function isWhole(packed: unknown, records: unknown): 0 | 1 {
  try {
    const all = unpackRecords(packed)
    const last = all.at(-1)?.data as { readonly type?: unknown } | undefined
    return all.length === Number(records) && last?.type === 'run.finished' ? 1 : 0
  } catch {
    return 0
  }
}
