import { InvalidDocumentError } from '../core/errors.ts'
import type { Pipeline } from '../core/pipeline.ts'
import type { StoredRecord } from '../core/run.ts'
import { readPipeline } from '../daemon/documents/read-pipeline.ts'
import { stepsInside } from '../membership/kept-lists.ts'

/** What the records of a run say about its document. */
export interface RecordedSteps {
  /** Undefined if this version cannot read the document. */
  readonly document: Pipeline | undefined
  /** The ids of the steps that succeeded, in at least one item. */
  readonly done: ReadonlySet<string>
}

/** The document of a run, and its steps that succeeded. */
export function recordedSteps(records: readonly StoredRecord[]): RecordedSteps {
  const done = records.flatMap(({ record }) => {
    if (record.type !== 'step.finished' || record.status !== 'succeeded') return []
    const inside = record.keptFrom === undefined ? [] : stepsInside(record)
    return [record.step, ...inside.map(({ step }) => step)]
  })
  return { document: documentIn(records), done: new Set(done) }
}

function documentIn([first]: readonly StoredRecord[]): Pipeline | undefined {
  if (first?.record.type !== 'run.submitted') return undefined
  try {
    return readPipeline(first.record)
  } catch (error) {
    if (error instanceof InvalidDocumentError) return undefined
    throw error
  }
}
