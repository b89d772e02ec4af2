import { type AudienceError, InvalidDocumentError, usageError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import type { Pipeline } from '../core/pipeline.ts'
import type { LastRun, StepOutputs, StoredRecord } from '../core/run.ts'
import type { RunHistory, RunRow } from '../state/run-history.ts'
import type { RunStore } from '../state/run-store.ts'
import { foldRecords, type RunState } from './run-state.ts'

/** Outputs of the successful steps of a run. */
function outputsOf(state: RunState): StepOutputs {
  const outputs: Record<string, Json> = {}
  for (const [key, { settled }] of state.steps) {
    if (settled?.status === 'succeeded' && settled.outputs !== undefined && !key.includes('['))
      outputs[key] = settled.outputs
  }
  return outputs
}

/** A run with the outputs of its steps. */
export interface RecordedRun {
  readonly row: RunRow
  readonly outputs: StepOutputs
}

/** The latest successful run of a pipeline. */
export async function lastSuccess(
  pipeline: string,
  runs: Pick<RunHistory, 'lastSuccess' | 'records'>,
): Promise<RecordedRun | undefined> {
  const row = await runs.lastSuccess(pipeline)
  return row && { row, outputs: outputsOf(stateAfter(row.runId, await runs.records(row.runId))) }
}

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

/**
 * The pipeline of a run, from its records. Undefined if this version cannot read it, because another version started
 * the run.
 */
export function recordedPipeline(
  [first]: readonly StoredRecord[],
  readPipeline: (source: RunState['submission']) => Pipeline,
): Pipeline | undefined {
  if (first?.record.type !== 'run.submitted') return undefined
  try {
    return readPipeline(first.record)
  } catch (error) {
    if (error instanceof InvalidDocumentError) return undefined
    throw error
  }
}

/** The state of a run after its records. Throws an AudienceError of the kind `usage` if there are none. */
export function stateAfter(runId: string, records: readonly StoredRecord[]): RunState {
  if (records.length === 0) throw unknownRun(runId)
  return foldRecords(records)
}

/** A run's row. Rejects with `unknown-run`. */
export async function findRun(runs: Pick<RunHistory, 'find'>, runId: string): Promise<RunRow> {
  const row = await runs.find(runId)
  if (row) return row
  throw unknownRun(runId)
}

/** The error if no run has that id. */
export function unknownRun(runId: string): AudienceError {
  return usageError('unknown-run', `there is no run ${runId}`, '`audience runs list` shows the runs of this state')
}
