import type { RunChange } from '../record-effects.ts'

/** For each column of a run that records change: SQL for its new value. `given` is SQL for the value in the records. */
const CHANGES: Readonly<Record<keyof RunChange, (given: string) => string>> = {
  status: (given) => `coalesce(${given}, runs.status)`,
  // A run begins only once.
  began_at: (given) => `coalesce(runs.began_at, ${given})`,
  finished_at: (given) => given,
  failures: (given) => given,
  failures_of: (given) => given,
  error_step: (given) => given,
  error_message: (given) => given,
  error_key: (given) => given,
}

export const RUN_CHANGES = Object.keys(CHANGES) as readonly (keyof RunChange)[]
/** The columns that change before the run ends. */
export const CHANGES_BEFORE_END = ['status', 'began_at'] as const satisfies readonly (keyof RunChange)[]

/** The assignments that change columns of a run. `given` returns SQL for the value of a column in the records. */
export function assignments(columns: readonly (keyof RunChange)[], given: (column: string) => string): string {
  return columns.map((column) => `${column} = ${CHANGES[column](given(column))}`).join(', ')
}

/** The tables that get rows from records. A row with the same key is replaced, or kept. */
const TABLES = {
  run_guards: { key: ['run_id', 'step', 'place'], others: ['of', 'item', 'value', 'verdict'], known: 'replaced' },
  blocked: { key: ['run_id', 'step'], others: ['thing', 'by_run', 'by_key'], known: 'replaced' },
  partner_waits: { key: ['run_id', 'step'], others: ['counterpart', 'since'], known: 'kept' },
} as const

export type EffectTable = keyof typeof TABLES

/** The tables with rows about runs, besides `runs`, that both stores have. */
export const TABLES_OF_RUNS = ['records', 'messages', ...Object.keys(TABLES)]

/** The statement that adds rows to a table. `rows` gets the columns, and returns SQL for the rows. */
export function insertion(table: EffectTable, rows: (columns: readonly string[]) => string): string {
  const { key, others, known } = TABLES[table]
  const columns = [...key, ...others]
  const change = others.map((column) => `${column} = excluded.${column}`).join(', ')
  const conflict = known === 'kept' ? 'DO NOTHING' : `(${key.join(', ')}) DO UPDATE SET ${change}`
  return `INSERT INTO audience.${table} (${columns.join(', ')}) ${rows(columns)} ON CONFLICT ${conflict}`
}
