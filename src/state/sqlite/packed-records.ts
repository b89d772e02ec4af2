import { deflateSync, inflateSync } from 'node:zlib'
import { parseJson } from '../../core/json.ts'

/** A record as the journal wrote it. `at` is in milliseconds since 1970. */
export interface StoredData {
  readonly seq: number
  readonly at: number
  readonly data: unknown
}

/**
 * Packs all records of an ended run into one value of about a quarter of their size. The checksum of zlib shows damage.
 */
export function packRecords(rows: readonly Record<string, unknown>[]): Uint8Array {
  return deflateSync(`[${rows.map(({ at, data }) => `[${at},${data}]`).join(',')}]`)
}

/** Returns the records of a run in order. Throws if the value is damaged. */
export function unpackRecords(packed: unknown): StoredData[] {
  // Only packRecords writes these values.
  const records = parseJson(inflateSync(packed as Uint8Array).toString()) as unknown as [number, unknown][]
  return records.map(([at, data], seq) => ({ seq, at: Number(at), data }))
}
