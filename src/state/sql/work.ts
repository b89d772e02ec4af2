/** A row as both databases give it: booleans may be 0 and 1, and numbers may be texts. */
export type Row = Readonly<Record<string, unknown>>

/**
 * A statement in PostgreSQL's SQL, as far as `sqlite/sqlite-sql.ts` can translate it for SQLite. `values` are
 * its `$1`, `$2`, …; a list is the value of `= ANY($1)` or `<> ALL($1)`. SQLite plans by the value of a bare `LIMIT $1`,
 * and compiles the statement anew each time: what is asked all the time has `LIMIT $1 + 0`.
 */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

export interface Answer {
  readonly rows: readonly Row[]
  /** How many rows a statement without `RETURNING` has written. */
  readonly changes: number
}

/** Work on a database, run by a driver: it sends each statement and returns its answer, at once or as a promise. */
export type Work<T> = Generator<Statement, T, Answer>

/** The driver of a store. */
export interface Sql {
  /** For work that only reads. */
  read<T>(work: Work<T>): Promise<T>
  /** For work of one statement. Durable when it resolves. A repeat calls `work` again. */
  write<T>(work: () => Work<T>): Promise<T>
  /** The same for several statements in one transaction. */
  transaction<T>(work: () => Work<T>): Promise<T>
}

export function* send(text: string, values: readonly unknown[] = []): Work<Answer> {
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
