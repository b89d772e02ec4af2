import type { DatabaseSync, SQLInputValue } from 'node:sqlite'

/** What a named parameter may be; booleans become 0 and 1, undefined becomes NULL. */
type Parameter = SQLInputValue | boolean | undefined
type Parameters = Readonly<Record<string, Parameter>>

/** A prepared statement whose rows have the shape that its SQL says; the store's own SQL is the only source of rows. */
export interface Statement<Row> {
  get(parameters: Parameters): Row | undefined
  all(parameters: Parameters): Row[]
  /** How many rows it changed. */
  run(parameters: Parameters): number
}

/** Prepares SQL with named parameters (`:name`), which are bound by position: SQLite looks names up at every call. */
export function statement<Row>(db: DatabaseSync, sql: string): Statement<Row> {
  const names: string[] = []
  const numbered = sql.replaceAll(/:(\w+)/g, (_all, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `?${names.indexOf(name) + 1}`
  })
  const prepared = db.prepare(numbered)
  const bind = (parameters: Parameters) => names.map((name) => bindable(parameters, name))
  return {
    get: (parameters) => prepared.get(...bind(parameters)) as Row | undefined,
    all: (parameters) => prepared.all(...bind(parameters)) as Row[],
    run: (parameters) => Number(prepared.run(...bind(parameters)).changes),
  }
}

/** Runs `work` so that all of its writes are committed together, or none. */
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
