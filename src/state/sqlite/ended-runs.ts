import type { DatabaseSync } from 'node:sqlite'
import type { RunHistory } from '../run-history.ts'
import { TABLES_OF_RUNS } from '../sql/effect-rows.ts'
import type { CommitQueue } from './commit-queue.ts'
import { packRecords } from './packed-records.ts'
import { LAST_CHANGE } from './run-reads.ts'

/** The dependencies of work on ended runs. Such work happens while this process is working on other runs. */
interface EndedRunsDeps {
  db: DatabaseSync
  queue: Pick<CommitQueue, 'commitAlone'>
  /** A clock in milliseconds that never goes back. */
  steadyMs: () => number
}

/** The tables with data about a run, besides `runs`. */
const TABLES = [...TABLES_OF_RUNS, 'packed_records', 'run_figures']

/** Removes runs, with all data about them. */
export function createSqliteRunRemoval(deps: EndedRunsDeps): RunHistory['remove'] {
  const { db, steadyMs } = deps
  const deleteRun = db.prepare('DELETE FROM runs WHERE run_id = ? AND finished_at IS NOT NULL RETURNING document')
  const deleteRows = TABLES.map((table) => db.prepare(`DELETE FROM ${table} WHERE run_id = ?`))
  const deleteDocument = db.prepare(
    'DELETE FROM documents WHERE id = ? AND NOT EXISTS (SELECT 1 FROM runs WHERE document = id)',
  )
  const keepLastChange = db.prepare(
    `INSERT INTO checkpoints (name, value) SELECT 'runs', change FROM (${LAST_CHANGE}) WHERE true
     ON CONFLICT DO UPDATE SET value = excluded.value`,
  )

  function remove(runIds: readonly string[], maxMs: number): number {
    const until = steadyMs() + maxMs
    keepLastChange.run()
    let removed = 0
    for (const runId of runIds) {
      const run = deleteRun.get(runId)
      if (run) {
        for (const statement of deleteRows) statement.run(runId)
        deleteDocument.run(run.document ?? null)
        removed += 1
      }
      if (steadyMs() >= until) break
    }
    return removed
  }

  return async (runIds, maxMs) => briefTransaction(deps, () => remove(runIds, maxMs))
}

/** Packs the records of ended runs, in order of id. */
export function createRunPacking(deps: EndedRunsDeps): RunHistory['pack'] {
  const { db, steadyMs } = deps
  // Jumps to the next run in the index, past all other records of the current run.
  const nextUnpacked = db.prepare('SELECT run_id FROM records WHERE run_id > ? ORDER BY run_id LIMIT 1')
  const hasEnded = db.prepare('SELECT 1 FROM runs WHERE run_id = ? AND finished_at IS NOT NULL')
  const recordsOf = db.prepare('SELECT at, data FROM records WHERE run_id = ? ORDER BY seq')
  const insert = db.prepare('INSERT INTO packed_records (run_id, records, data) VALUES (?, ?, ?)')
  const remove = db.prepare('DELETE FROM records WHERE run_id = ?')
  /** Where the previous call ended. */
  let after = ''
  let isLast = false

  /** The next run to pack; undefined if the time has run out or if there are no more runs. */
  function nextEnded(until: number): string | undefined {
    while (steadyMs() < until) {
      const row = nextUnpacked.get(after)
      isLast = row === undefined
      after = row ? String(row.run_id) : ''
      if (isLast) return undefined
      if (hasEnded.get(after)) return after
    }
    return undefined
  }

  function pack(runId: string): void {
    const records = recordsOf.all(runId)
    // Another process has packed or removed this run in the meantime.
    if (records.length === 0) return
    insert.run(runId, records.length, packRecords(records))
    remove.run(runId)
  }

  return async (maxMs) => {
    const until = steadyMs() + maxMs
    // Checks without the lock first, because most commands find nothing to pack.
    const first = nextEnded(until)
    if (first === undefined) return !isLast
    briefTransaction(deps, () => {
      for (let runId: string | undefined = first; runId !== undefined; runId = nextEnded(until)) pack(runId)
    })
    return !isLast
  }
}

/**
 * A transaction that holds the write lock only briefly, because it does not wait for the disk. The checkpoint after it
 * waits for the disk without the lock. A crash of the machine may undo the whole transaction.
 */
function briefTransaction<T>({ db, queue }: EndedRunsDeps, work: () => T): T {
  db.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0')
  let value: T
  try {
    value = queue.commitAlone(work)
  } finally {
    db.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 1000')
  }
  db.exec('PRAGMA wal_checkpoint(PASSIVE)')
  return value
}
