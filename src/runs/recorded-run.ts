import { AudienceError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import type { StepOutputs, StoredRecord } from '../core/run.ts'
import type { Journal } from '../state/journal.ts'
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

/** The state of a recorded run. Throws an AudienceError of the kind `usage` if there is none. */
export function stateOf(runId: string, journal: Pick<Journal, 'records'>): RunState {
  return foldRecords(recordsOf(runId, journal))
}

/** The records of a run. Throws an AudienceError of the kind `usage` if there is none. */
export function recordsOf(runId: string, journal: Pick<Journal, 'records'>): readonly StoredRecord[] {
  const records = journal.records(runId)
  if (records.length > 0) return records
  throw unknownRun(runId)
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
