import type { DatabaseSync, SQLInputValue } from 'node:sqlite'

/** The allowed values of a named parameter. Booleans become 0 and 1, and undefined becomes NULL. */
type Parameter = SQLInputValue | boolean | undefined
type Parameters = Readonly<Record<string, Parameter>>

/** A prepared statement, and what it reads from each row. */
export interface PreparedStatement<Read> {
  get(parameters: Parameters): Read | undefined
  all(parameters: Parameters): Read[]
  /** Returns the number of changed rows. */
  run(parameters: Parameters): number
}

/**
 * Makes the function that prepares SQL with named parameters (`:name`). They are bound by position, because SQLite
 * would look up the names at every call. `read` gets each row without a check of its shape, because only the store's
 * own SQL produces rows.
 */
export function statementsOf(db: DatabaseSync) {
  return <Row, Read = Row>(
    sql: string,
    read: (row: Row) => Read = (row) => row as Read & Row,
  ): PreparedStatement<Read> => {
    const names: string[] = []
    const numbered = sql.replaceAll(/:(\w+)/g, (_all, name: string) => {
      if (!names.includes(name)) names.push(name)
      return `?${names.indexOf(name) + 1}`
    })
    const prepared = db.prepare(numbered)
    const bind = (parameters: Parameters) => names.map((name) => bindable(parameters, name))
    return {
      get(parameters) {
        const row = prepared.get(...bind(parameters)) as Row | undefined
        return row && read(row)
      },
      all: (parameters) => (prepared.all(...bind(parameters)) as Row[]).map(read),
      run: (parameters) => Number(prepared.run(...bind(parameters)).changes),
    }
  }
}

/** Runs `work` in a transaction: either all of its writes are committed, or none. */
export function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}

function bindable(parameters: Parameters, name: string): SQLInputValue {
  const value = parameters[name]
  if (typeof value === 'boolean') return Number(value)
  if (value === undefined && !(name in parameters)) throw new Error(`the statement needs a value for :${name}`)
  return value ?? null
}
