import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { messageOf } from '../../core/message-of.ts'
import { type CheckDialect, findContradictions } from '../sql/contradictions.ts'
import { MOST_PROBLEMS, type StateCheck } from '../state-check.ts'
import { isDamage } from '../state-damage.ts'
import { createCommitQueue } from './commit-queue.ts'
import { whileReading } from './open-for-reading.ts'
import { checkFiles, STATE_VERSION } from './open-state.ts'
import { unpackRecords } from './packed-records.ts'
import { createSqliteSql } from './sqlite-sql.ts'

const DIALECT: CheckDialect = {
  recorded: '(SELECT run_id FROM records UNION ALL SELECT run_id FROM packed_records)',
  ofRuns: ['records', 'packed_records'],
  isJson: (column) => `json_valid(${column})`,
  isEnd: (column) => `CASE WHEN json_valid(${column}) THEN ${column} ->> 'type' = 'run.finished' END`,
  own: [
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
      kind: 'record',
      query: `SELECT run_id, 'the packed records of the run cannot be read' AS what FROM packed_records
        WHERE NOT is_whole(data, records)`,
    },
  ],
}

/**
 * Reads a whole state and reports what is wrong. Changes nothing. Throws only if this process has no permission to read
 * it.
 */
export function checkState(file: string): StateCheck {
  try {
    checkFiles(file, statSync(file, { throwIfNoEntry: false }))
    return whileReading(file, checkDatabase)
  } catch (error) {
    if (!isDamage(error)) throw error
    return { ok: false, problems: [{ kind: 'database', message: messageOf(error) }] }
  }
}

/**
 * Checks only the pages of the database, which takes a fraction of the time. It is used after an unclean stop. Returns
 * what is wrong.
 */
export function quickCheck(file: string): string | undefined {
  try {
    const found = whileReading(file, (db) => String(db.prepare('PRAGMA quick_check(1)').get()?.quick_check))
    return found === 'ok' ? undefined : found
  } catch (error) {
    if (isDamage(error)) return messageOf(error)
    throw error
  }
}

function checkDatabase(db: DatabaseSync): StateCheck {
  const integrity = db.prepare(`PRAGMA integrity_check(${MOST_PROBLEMS})`).all()
  const damage = integrity.map((row) => String(row.integrity_check)).filter((text) => text !== 'ok')
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version)
  const isOurs = version === STATE_VERSION
  db.function('is_whole', { deterministic: true }, isWhole)
  const problems = [
    ...damage.map((message) => ({ kind: 'database', message }) as const),
    // If the file is damaged, no other check is reliable. Another version may have other tables.
    ...(damage.length > 0 || !isOurs
      ? []
      : createSqliteSql(db, createCommitQueue(db)).now(findContradictions(DIALECT))),
  ]
  const number = (query: string) => Number(db.prepare(query).get()?.number)
  if (damage.length > 0) return { ok: false, version, problems }
  return {
    ok: problems.length === 0,
    version,
    runs: number('SELECT count(*) AS number FROM runs'),
    records:
      number('SELECT count(*) AS number FROM records') +
      (isOurs ? number('SELECT coalesce(sum(records), 0) AS number FROM packed_records') : 0),
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
