import { literal, oneFile } from '../../platform/sql-text.ts'

/** A Parquet file as a relation. */
export function parquet(file: string): string {
  return `read_parquet(${literal(oneFile(file))})`
}

/**
 * The threshold for a share: a random string of hexadecimal digits is below the threshold with this probability. `g` is
 * above every hexadecimal digit.
 */
export function hexThreshold(share: number, digits: number): string {
  const below = BigInt(Math.round(share * 1e9)) * 16n ** BigInt(digits)
  const threshold = (below + 999_999_999n) / 1_000_000_000n
  return threshold >= 16n ** BigInt(digits) ? 'g' : threshold.toString(16).padStart(digits, '0')
}
