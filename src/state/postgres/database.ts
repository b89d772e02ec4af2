import type { ClientBase, Pool } from 'pg'
import type { Row, Sql, StatementResult, Work } from '../sql/work.ts'
import { failureAt } from './database-failure.ts'

/** Sends one statement. `values` are the values of `$1`, `$2` and so on. */
export type Query = (text: string, values?: readonly unknown[]) => Promise<StatementResult>

/** The database of a state. It throws the errors that `failureAt` makes. */
export interface Database {
  readonly query: Query
  /** The rows of a statement. */
  rows(text: string, values?: readonly unknown[]): Promise<readonly Row[]>
  /** The first row of a statement. */
  row(text: string, values?: readonly unknown[]): Promise<Row | undefined>
  /** Does the work in a transaction: atomic, and durable when it resolves. If the work rejects, nothing is written. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>
}

export function createDatabase(pool: Pool, place: string): Database {
  const query = async (text: string, values: readonly unknown[] = []) => {
    try {
      return await send(pool, text, values)
    } catch (error) {
      throw failureAt(place, error)
    }
  }
  return {
    query,
    rows: async (text, values) => (await query(text, values)).rows,
    row: async (text, values) => (await query(text, values)).rows[0],
    async transaction(work) {
      try {
        return await inTransaction(pool, work)
      } catch (error) {
        throw failureAt(place, error)
      }
    },
  }
}

/** The driver for PostgreSQL. */
export function createPostgresSql({ query, transaction }: Pick<Database, 'query' | 'transaction'>): Sql {
  return {
    read: (work) => doWork(query, work),
    write: (work) => doWork(query, work()),
    transaction: (work) => transaction((own) => doWork(own, work())),
  }
}

/** Does work that both stores share: sends its statements one after the other. */
export async function doWork<T>(query: Query, work: Work<T>): Promise<T> {
  let next = work.next()
  while (!next.done) next = work.next(await query(next.value.text, next.value.values))
  return next.value
}

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

async function inTransaction<T>(pool: Pool, work: (query: Query) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('BEGIN')
    const value = await work((text, values = []) => send(client, text, values))
    await client.query('COMMIT')
    return value
  } catch (error) {
    // If a connection cannot roll back, it is closed, which also rolls back.
    await client.query('ROLLBACK').catch((failure: Error) => {
      broken = failure
    })
    throw error
  } finally {
    client.release(broken)
  }
}

async function send(client: Pick<ClientBase, 'query'>, text: string, values: readonly unknown[]) {
  const { rows, rowCount } = await client.query<Record<string, unknown>>(text, [...values])
  return { rows, changes: rowCount ?? 0 }
}
