import { NO_SECRETS, openedRecord } from '../../core/create-sealing.ts'
import type { ReadableState } from '../state.ts'
import { type ReadWorks, readsOf } from './run-reads.ts'
import type { Work } from './work.ts'

/** Reads for whoever does not execute runs: in records, `***` stands for the secrets of their documents. */
export function readsForOthers(works: ReadWorks, read: (work: Work<unknown>) => unknown): ReadableState['runs'] {
  const reads = readsOf<ReadableState['runs']>(works, read)
  return {
    ...reads,
    records: async (runId, after) =>
      (await reads.records(runId, after)).map((stored) => openedRecord(stored, NO_SECRETS)),
  }
}
