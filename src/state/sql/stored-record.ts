import type { RunRecord, StoredRecord } from '../../core/run.ts'

/**
 * Makes a record as the journal wrote it. `data` is parsed without checks, because only the journal writes records. The
 * text of a document is stored separately, once for all its runs. Here it is added to the first record.
 */
export function storedRecord(
  { seq, at, data }: { readonly seq: number; readonly at: number; readonly data: unknown },
  document: string | undefined,
): StoredRecord {
  return { seq, at, record: { ...(data as object), ...(document !== undefined && { text: document }) } as RunRecord }
}
