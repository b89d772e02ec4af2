import type { Pipeline } from '../../src/core/pipeline.ts'
import { type KeptExecution, type RunRecord, type Seed, type StoredRecord, stepKey } from '../../src/core/run.ts'
import type { Decision } from '../../src/runs/decision.ts'
import type { RunFacts } from '../../src/runs/run-facts.ts'
import { foldRecords } from '../../src/runs/run-state.ts'

/** The records of a run, beginning with its submission at 0, one per second. */
export function recordsOf(
  pipeline: Pipeline,
  records: readonly RunRecord[],
  own: { readonly seed?: Seed; readonly inputs?: Readonly<Record<string, string>> } = {},
): readonly StoredRecord[] {
  const { name, file, text, digest } = pipeline
  const first: RunRecord = {
    type: 'run.submitted',
    ...{ pipeline: name, file, folder: '/', text, digest, inputs: {}, trigger: {} },
    ...own,
  }
  return [first, ...records].map((record, seq) => ({ seq, at: seq * 1000, record }))
}

/** The facts of a run after these records. */
export function factsOf(
  pipeline: Pipeline,
  records: readonly RunRecord[],
  own?: Parameters<typeof recordsOf>[2],
): RunFacts {
  return { runId: 'r', pipeline, state: foldRecords(recordsOf(pipeline, records, own)), stepTypes: new Map(), env: {} }
}

/** A decision in short: what to record, what to start, and when to look again. */
export function brief({ records, starts, wakeAt }: Decision): readonly string[] {
  return [
    ...records.map((record) => {
      const ref = 'step' in record ? ` ${stepKey(record)}` : ''
      const status = 'status' in record ? ` ${record.status}` : ''
      return `${record.type}${ref}${status}`
    }),
    ...starts.map(
      ({ ref, attempt, item }) => `start ${stepKey(ref)}#${attempt}${item === undefined ? '' : ` ${item.value}`}`,
    ),
    ...(wakeAt === undefined ? [] : [`wake at ${wakeAt}`]),
  ]
}

/** What a rerun keeps, in short: `a < r1`, `e[0] x < r1`, `child: run of child`, `a: intent answer`. */
export function briefKept(execution: KeptExecution): string {
  if ('child' in execution) return `${stepKey(execution)}: ${execution.child}`
  if ('effects' in execution) return `${stepKey(execution)}: ${Object.keys(execution.effects).join(' ')}`
  return `${stepKey(execution)}${execution.item === undefined ? '' : ` ${execution.item}`} < ${execution.from}`
}
