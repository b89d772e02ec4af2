import type { DatabaseSync } from 'node:sqlite'
import type { JobSummary } from '../jobs/job.ts'

/** What was read of jobs, which clients ask for again and again while nothing changes. */
interface SummaryCache {
  find(id: string): JobSummary | undefined
  /** Has to be called before a write that a summary shows. */
  forget(id: string): void
  clear(): void
}

/** Some hundred bytes each. */
const MOST = 10_000

/**
 * Nothing read within a transaction is kept, because that may be rolled back; what it forgets stays forgotten. No other
 * process writes to the store, so what is kept is what a read would give.
 */
export function createSummaryCache(
  db: Pick<DatabaseSync, 'isTransaction'>,
  read: (id: string) => JobSummary | undefined,
): SummaryCache {
  const kept = new Map<string, JobSummary>()
  return {
    find(id) {
      const known = kept.get(id)
      if (known) return known
      const row = read(id)
      // An id with leading zeros names the same job, and `forget` is not told of it.
      if (!row || row.id !== id || db.isTransaction) return row
      if (kept.size >= MOST) kept.clear()
      // A copy, because the properties of a row of SQLite are slow to read.
      const summary = { ...row }
      kept.set(id, summary)
      return summary
    },
    forget: (id) => void kept.delete(id),
    clear: () => kept.clear(),
  }
}
