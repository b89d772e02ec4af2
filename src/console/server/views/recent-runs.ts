import type { Pipeline } from '../../../core/pipeline.ts'
import type { RunHistory } from '../../../state/run-history.ts'
import { type RunWithRecords, readRun } from '../run-facts.ts'

/** The maximum number of records that are kept. This many take about 20 MB. */
const MOST_RECORDS = 20_000

/**
 * Reads runs with the facts in their records. Keeps ended runs for a while, because a page asks for its run four times.
 */
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

interface Source {
  readonly file: string
  readonly text: string
}

/** Reads documents, and keeps the last one. A page asks for its run several times, and for its log again and again. */
export function recentDocument(read: (source: Source) => Pipeline): (source: Source) => Pipeline {
  let last: { readonly source: Source; readonly pipeline: Pipeline } | undefined
  return (source) => {
    if (last?.source.text !== source.text || last.source.file !== source.file) {
      const pipeline = read(source)
      last = { source: { file: source.file, text: source.text }, pipeline }
    }
    return last.pipeline
  }
}
