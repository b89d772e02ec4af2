import { AudienceError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import type { StepOutputs, StoredRecord } from '../core/run.ts'
import type { RunHistory, RunRow } from '../state/run-history.ts'
import { foldRecords, type RunState } from './run-state.ts'

/** Outputs of the successful steps of a run. */
export function outputsOf(state: RunState): StepOutputs {
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
  return new AudienceError({
    code: 'unknown-run',
    kind: 'usage',
    message: `there is no run ${runId}`,
    hint: '`audience runs list` shows the runs of this state',
  })
}
