/** A row as a database returns it. Booleans may be 0 and 1, and numbers may be strings. */
export type Row = Readonly<Record<string, unknown>>

/**
 * A statement in PostgreSQL's SQL that `sqlite/sqlite-sql.ts` can translate for SQLite. `values` are its `$1`, `$2` and
 * so on. A list is the value of `= ANY($1)` or `<> ALL($1)`.
 *
 * SQLite makes a plan for the value of a bare `LIMIT $1`, so it compiles the statement each time. Frequent statements
 * have `LIMIT $1 + 0` instead.
 */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

export interface StatementResult {
  readonly rows: readonly Row[]
  /** How many rows a statement without `RETURNING` has written. */
  readonly changes: number
}

/**
 * Work on a database. A driver runs it: it sends each statement and passes the result back, either directly or through
 * a promise.
 */
export type Work<T> = Generator<Statement, T, StatementResult>

/** The driver of a store. */
export interface Sql {
  /** Does work that only reads. */
  read<T>(work: Work<T>): Promise<T>
  /** Does work of one statement. Durable when it resolves. Calls `work` again to repeat it. */
  write<T>(work: () => Work<T>): Promise<T>
  /** Does work of several statements in one transaction. Durable when it resolves. Calls `work` again to repeat it. */
  transaction<T>(work: () => Work<T>): Promise<T>
}

export function* send(text: string, values: readonly unknown[] = []): Work<StatementResult> {
  return yield { text, values }
}

export function* rowsOf(text: string, values: readonly unknown[] = []): Work<readonly Row[]> {
  return (yield { text, values }).rows
}

export function* rowOf(text: string, values: readonly unknown[] = []): Work<Row | undefined> {
  return (yield { text, values }).rows[0]
}

export function* changesOf(text: string, values: readonly unknown[] = []): Work<number> {
  return (yield { text, values }).changes
}

/** A list in SQL, such as `'a', 'b'`. The words are not escaped, so they must come from this program. */
export function textList(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ')
}
