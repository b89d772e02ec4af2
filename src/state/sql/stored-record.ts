import { isSealed, NO_SECRETS, openedRecord } from '../../core/create-sealing.ts'
import { parseJson } from '../../core/json.ts'
import type { RunRecord, StoredRecord } from '../../core/run.ts'
import type { Submitted } from '../run-history.ts'

/** A record as the journal wrote it. `at` is in milliseconds since 1970. */
export interface StoredData extends Pick<StoredRecord, 'isSealed'> {
  readonly seq: number
  readonly at: number
  readonly data: unknown
}

/** Reads a row of the table `records`. Throws SyntaxError if it is damaged. */
export function storedData({ seq, at, data }: Readonly<Record<'seq' | 'at' | 'data', unknown>>): StoredData {
  const text = String(data)
  return { seq: Number(seq), at: Number(at), data: parseJson(text), isSealed: isSealed(text) || undefined }
}

/**
 * Makes a record as the journal wrote it. `data` is parsed without checks, because only the journal writes records. The
 * text of a document is stored separately, once for all its runs. Here it is added to the first record.
 */
export function storedRecord({ data, ...place }: StoredData, document: string | undefined): StoredRecord {
  const record = document === undefined ? data : { ...(data as object), text: document }
  return { ...place, record: record as RunRecord }
}

/** The submission of a run, for code that does not execute the run. */
export function submissionOf(first: StoredData | undefined): Submitted | undefined {
  // Only the journal writes records.
  return first && (openedRecord(storedRecord(first, undefined), NO_SECRETS).record as Submitted)
}
