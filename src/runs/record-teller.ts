import type { Pipeline } from '../core/pipeline.ts'
import type { StoredRecord } from '../core/run.ts'
import type { RunEvent } from '../core/run-event.ts'
import type { StepType } from '../core/step-type.ts'
import { eventOf } from './event-of.ts'
import { stateAfter } from './recorded-run.ts'
import { applyRecord } from './run-state.ts'

/** Makes each event of a recorded run exactly once. */
export interface RecordTeller {
  /** The first record that `tell` has not received yet. */
  readonly nextSeq: number
  /** The run has ended, according to the records so far. */
  readonly hasEnded: boolean
  /** The events of the next records. */
  tell(records: readonly StoredRecord[]): RunEvent[]
}

/** `records` begin with the first record of the run. Throws an AudienceError of the kind `usage` if there are none. */
export function createRecordTeller(
  runId: string,
  records: readonly StoredRecord[],
  deps: {
    readPipeline: (source: { file: string; text: string }) => Pipeline
    stepTypes: ReadonlyMap<string, StepType>
  },
  pipeline?: Pipeline,
): RecordTeller {
  const state = stateAfter(runId, records.slice(0, 1))
  const { stepTypes } = deps
  const facts = { runId, pipeline: pipeline ?? deps.readPipeline(state.submission), state, stepTypes, env: {} }
  let nextSeq = 0
  return {
    get nextSeq() {
      return nextSeq
    },
    get hasEnded() {
      return state.finished !== undefined
    },
    tell: (next) =>
      next.flatMap((stored) => {
        const event = eventOf(facts, stored)
        applyRecord(state, stored)
        nextSeq = stored.seq + 1
        return event ? [event] : []
      }),
  }
}
