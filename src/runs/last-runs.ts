import type { LastRun } from '../core/run.ts'
import type { Journal } from '../state/journal.ts'
import { outputsOf, stateAfter } from './recorded-run.ts'

/**
 * Reads the newest successful run of a pipeline, by the pipeline's name. The outputs are read once for all runs that
 * follow the same run.
 */
export function lastRuns(journal: Pick<Journal, 'lastSuccess' | 'records'>): (pipeline: string) => LastRun | undefined {
  const known = new Map<string, LastRun>()
  return (pipeline) => {
    const runId = journal.lastSuccess(pipeline)
    if (runId === undefined) return undefined
    const before = known.get(pipeline)
    if (before?.runId === runId) return before
    const last = { runId, steps: outputsOf(stateAfter(runId, journal.records(runId))) }
    known.set(pipeline, last)
    return last
  }
}
