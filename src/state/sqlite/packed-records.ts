import { deflateSync, inflateSync } from 'node:zlib'
import { parseJson } from '../../core/json.ts'

/** A record as the journal wrote it; `at` in milliseconds since 1970. */
export interface StoredData {
  readonly seq: number
  readonly at: number
  readonly data: unknown
}

/** All records of an ended run in one value, about a quarter of their size. The checksum of zlib shows damage. */
export function packRecords(rows: readonly Record<string, unknown>[]): Uint8Array {
  return deflateSync(`[${rows.map(({ at, data }) => `[${at},${data}]`).join(',')}]`)
}

/** The records of a run in their order. Throws for a damaged value. */
export function unpackRecords(packed: unknown): StoredData[] {
  // Only packRecords writes these values.
  const records = parseJson(inflateSync(packed as Uint8Array).toString()) as unknown as [number, unknown][]
  return records.map(([at, data], seq) => ({ seq, at: Number(at), data }))
}
