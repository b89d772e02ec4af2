import type { RunHistory } from '../../../state/run-history.ts'
import { type RunWithRecords, readRun } from '../run-facts.ts'

/** This takes about 20 MB. */
const MOST_RECORDS = 20_000

/** Reads runs with the facts in their records. Keeps ended runs for a while: a page asks four times for its run. */
export function recentRuns(
  mostRecords = MOST_RECORDS,
): (runs: Pick<RunHistory, 'find' | 'records' | 'page'>, runId: string) => Promise<RunWithRecords> {
  /** The runs that were read. The most recent request comes last. */
  const kept = new Map<string, RunWithRecords>()
  let records = 0

  function forget(runId: string): void {
    records -= kept.get(runId)?.records.length ?? 0
    kept.delete(runId)
  }

  return async (runs, runId) => {
    const known = kept.get(runId)
    // The run may have been removed in the meantime.
    const facts = known && (await runs.find(runId)) ? known : await readRun(runs, runId)
    if (facts.row.finishedAt === undefined) return facts
    forget(runId)
    kept.set(runId, facts)
    records += facts.records.length
    for (const oldest of kept.keys()) {
      if (records <= mostRecords) break
      forget(oldest)
    }
    return facts
  }
}
