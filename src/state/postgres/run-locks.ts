import type { Query } from './database.ts'

/**
 * Locks names against other transactions until this transaction ends. Always locks them in the same order, so that two
 * transactions never wait for each other.
 */
export async function lockAll(query: Query, things: readonly string[]): Promise<void> {
  if (things.length === 0) return
  await query(
    `SELECT pg_advisory_xact_lock(key) FROM (
       SELECT DISTINCT hashtextextended(thing, 0) AS key FROM unnest($1::text[]) AS thing ORDER BY key
     ) AS sorted`,
    [things],
  )
}

export function groupLock(name: string): string {
  return `group ${name}`
}
