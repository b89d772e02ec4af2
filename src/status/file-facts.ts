import { isoTime } from '../core/iso-time.ts'
import type { ListedOccurrence } from '../state/occurrence-store.ts'
import { failedFileOf } from '../triggers/watch/failed-file.ts'

/** A file of a watched folder, for programs. The names are a contract: other programs use them. */
export async function fileFacts(occurrence: ListedOccurrence) {
  const { pipeline, trigger, key, at, state, outcome, reason, runId, detail = {}, open } = occurrence
  return {
    pipeline,
    trigger,
    key,
    at: isoTime(at),
    state,
    outcome,
    open: open === true,
    /** Whether it is in `failed`, so that it can be dropped again. */
    canRetry: (await failedFileOf(occurrence)) !== undefined,
    name: typeof detail.name === 'string' ? detail.name : undefined,
    file: typeof detail.file === 'string' ? detail.file : undefined,
    size: typeof detail.size === 'number' ? detail.size : undefined,
    /** The earlier file with the same content; `runId` is its run. */
    sameAs: typeof detail.sameAs === 'string' ? detail.sameAs : undefined,
    reason,
    runId,
  }
}
