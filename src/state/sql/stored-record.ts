import type { RunRecord, StoredRecord } from '../../core/run.ts'

/**
 * A record as the journal wrote it, `data` parsed: only the journal writes records. The document of a run is stored apart,
 * once for all its runs, and belongs to the first record.
 */
export function storedRecord(
  { seq, at, data }: { readonly seq: number; readonly at: number; readonly data: unknown },
  document: string | undefined,
): StoredRecord {
  return { seq, at, record: { ...(data as object), ...(document !== undefined && { text: document }) } as RunRecord }
}
