import { deflateSync, inflateSync } from 'node:zlib'
import { isSealed } from '../../core/create-sealing.ts'
import { parseJson } from '../../core/json.ts'
import type { StoredData } from '../sql/stored-record.ts'

/**
 * Packs all records of an ended run into one value of about a quarter of their size. The checksum of zlib shows damage.
 */
export function packRecords(rows: readonly Record<string, unknown>[]): Uint8Array {
  return deflateSync(`[${rows.map(({ at, data }) => `[${at},${data}]`).join(',')}]`)
}

/** Returns the records of a run in order. Throws if the value is damaged. */
export function unpackRecords(packed: unknown): StoredData[] {
  // Only packRecords writes these values.
  const text = inflateSync(packed as Uint8Array).toString()
  const records = parseJson(text) as unknown as [number, unknown][]
  const sealed = isSealed(text) && ({ isSealed: true } as const)
  return records.map(([at, data], seq) => ({ seq, at: Number(at), data, ...sealed }))
}
