import { AudienceError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import type { StepOutputs, StoredRecord } from '../core/run.ts'
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

/** The state of a run after its records. Throws an AudienceError of the kind `usage` if there are none. */
export function stateAfter(runId: string, records: readonly StoredRecord[]): RunState {
  if (records.length === 0) throw unknownRun(runId)
  return foldRecords(records)
}

/** There is no run with that id. */
export function unknownRun(runId: string): AudienceError {
  return new AudienceError({
    code: 'unknown-run',
    kind: 'usage',
    message: `there is no run ${runId}`,
    hint: '`audience runs list` shows the runs of this state folder',
  })
}
