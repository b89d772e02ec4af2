import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { Sql, Statement, StatementResult, Work } from '../sql/work.ts'
import type { CommitQueue } from './commit-queue.ts'

/** The driver for SQLite. `now` does work synchronously. The work must either be within a transaction or only read. */
export interface SqliteSql extends Sql {
  now<T>(work: Work<T>): T
}

export function createSqliteSql(db: DatabaseSync, queue: Pick<CommitQueue, 'commit'>): SqliteSql {
  const prepared = new Map<string, { readonly statement: StatementSync; readonly hasRows: boolean }>()

  function prepare(text: string) {
    const statement = db.prepare(toSqlite(text))
    const known = { statement, hasRows: statement.columns().length > 0 }
    prepared.set(text, known)
    return known
  }

  function answer({ text, values }: Statement): StatementResult {
    const { statement, hasRows } = prepared.get(text) ?? prepare(text)
    const bound = values.map(bindable)
    return hasRows
      ? { rows: statement.all(...bound), changes: 0 }
      : { rows: [], changes: Number(statement.run(...bound).changes) }
  }

  function now<T>(work: Work<T>): T {
    let next = work.next()
    while (!next.done) next = work.next(answer(next.value))
    return next.value
  }

  return {
    now,
    read: async (work) => now(work),
    write: (work) => queue.commit(() => now(work())),
    transaction: (work) => queue.commit(() => now(work())),
  }
}

/** Translates a PostgreSQL statement for SQLite. */
export function toSqlite(text: string): string {
  return text
    .replaceAll('audience.', '')
    .replaceAll(/::(text|bigint|integer)\b/g, '')
    .replaceAll(/= ANY\((\$\d+)\)/g, 'IN (SELECT value FROM json_each($1))')
    .replaceAll(/<> ALL\((\$\d+)\)/g, 'NOT IN (SELECT value FROM json_each($1))')
    .replaceAll('= true', '= 1')
    .replaceAll('= false', '= 0')
    .replaceAll('strpos(', 'instr(')
    .replaceAll('$', '?')
}

function bindable(value: unknown): SQLInputValue {
  if (value === undefined) return null
  if (typeof value === 'boolean') return value ? 1 : 0
  // Statements have no values of other types.
  return Array.isArray(value) ? JSON.stringify(value) : (value as SQLInputValue)
}
