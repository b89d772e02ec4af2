import type { RunHistory } from '../run-history.ts'
import { type BriefDeps, briefTransaction } from './brief-transaction.ts'
import { packRecords } from './packed-records.ts'

/** Packs the records of ended runs, in order of id. */
export function createRunPacking(deps: BriefDeps): RunHistory['pack'] {
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
