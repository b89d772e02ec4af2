import type { Database } from './database.ts'

/**
 * The number of a change up to which no earlier change can still appear. Transactions that have numbered changes hold a
 * mark until they end (the function `number_change` in migrations.ts): the last number before their first, in 32 bits.
 * The newest number is read before the marks, because a transaction sets its mark before it takes a number; a mark may
 * therefore be later than it, and does not matter then.
 */
const SETTLED = `
  SELECT last_value - greatest(0, (
    SELECT max((last_value - objid::bigint) << 32 >> 32) FROM pg_locks
    WHERE locktype = 'advisory' AND classid = 1096107081 AND objsubid = 2
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))) AS change
  FROM audience.changes`

/** Read it before the changes, in a statement of its own: what it covers is visible to the next statement. */
export async function settledChange(db: Database): Promise<number> {
  return Number((await db.row(SETTLED))?.change)
}
