import type { LastRun } from '../core/run.ts'
import type { RunStore } from '../state/run-store.ts'
import { outputsOf, stateAfter } from './recorded-run.ts'

/**
 * Reads the latest successful run of a pipeline, by the pipeline's name. The outputs are read once for all runs that
 * follow the same run.
 */
export function lastRuns(
  store: Pick<RunStore, 'lastSuccess' | 'records'>,
): (pipeline: string) => Promise<LastRun | undefined> {
  const known = new Map<string, LastRun>()
  return async (pipeline) => {
    const runId = await store.lastSuccess(pipeline)
    if (runId === undefined) return undefined
    const before = known.get(pipeline)
    if (before?.runId === runId) return before
    const last = { runId, steps: outputsOf(stateAfter(runId, await store.records(runId))) }
    known.set(pipeline, last)
    return last
  }
}
