export interface Still<Row> {
  readonly rows: readonly Row[]
  /** How many new rows are above them. */
  readonly newer: number
}

/**
 * Updates the rows that somebody is reading. No row moves down: new rows, which come first in `read`, wait above. Rows
 * that have left the list disappear. Rows stay if they are missing from `read` only because they are too old for the
 * `limit`.
 */
export function stillRows<Row>(
  shown: readonly Row[],
  read: readonly Row[],
  { keyOf, limit }: { keyOf: (row: Row) => string | number; limit: number },
): Still<Row> {
  const fresh = new Map(read.map((row) => [keyOf(row), row]))
  const known = new Set(shown.map(keyOf))
  const last = shown.findLastIndex((row) => fresh.has(keyOf(row)))
  const rows = shown.flatMap((row, at) => {
    const isTooOld = at > last && read.length >= limit
    return fresh.get(keyOf(row)) ?? (isTooOld ? [row] : [])
  })
  if (rows.length === 0) return { rows: read, newer: 0 }
  const first = read.findIndex((row) => known.has(keyOf(row)))
  return { rows, newer: first === -1 ? read.length : first }
}
