import type { DatabaseSync } from 'node:sqlite'
import type { JobSummary } from '../jobs/job.ts'

/** A cache of job summaries, which clients request again and again while nothing changes. */
interface SummaryCache {
  find(id: string): JobSummary | undefined
  /** Call it before a write that changes a summary. */
  forget(id: string): void
  clear(): void
}

/** A summary takes some hundred bytes. */
const MOST = 10_000

/**
 * Caches no read within a transaction, because the transaction may be rolled back; what it forgets stays forgotten. No
 * other process writes to the store, so a cached summary equals a fresh read.
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
      // An id with leading zeros names the same job, but `forget` does not get that spelling.
      if (!row || row.id !== id || db.isTransaction) return row
      if (kept.size >= MOST) kept.clear()
      // A copy, because the properties of a SQLite row are slow to read.
      const summary = { ...row }
      kept.set(id, summary)
      return summary
    },
    forget: (id) => void kept.delete(id),
    clear: () => kept.clear(),
  }
}
