import { mkdir, rm } from 'node:fs/promises'
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { KEY_FUNCTIONS } from '../../contract/normalise-key.ts'
import { withoutUndefined } from '../../core/without-undefined.ts'
import { sqlTextFunctions } from '../../platform/text-functions.ts'

/** DuckDB for the service: one instance in memory, data in files, and one connection for each piece of work. */
export interface PeopleDatabase {
  session<T>(work: (session: PeopleSession) => Promise<T>): Promise<T>
  /** Interrupts running statements, waits until they have ended, and releases everything. */
  close(): Promise<void>
}

export interface PeopleSession {
  /** Runs one statement. Returns the number of rows written. */
  run(sql: string): Promise<number>
  /** Returns the rows of a query. 64-bit integers are bigint. */
  rows(sql: string): Promise<Record<string, unknown>[]>
}

export interface DatabaseOptions {
  /** The folder for data that does not fit into memory. It is emptied when the database is opened. */
  tempDir: string
  threads?: number | undefined
  /** The maximum memory, in DuckDB's notation, such as `2GB`. */
  memoryLimit: string
}

/** Opens the database. DuckDB is imported only here, so that only a running service loads it. */
export async function openPeopleDatabase(options: DatabaseOptions): Promise<PeopleDatabase> {
  const { DuckDBInstance, DuckDBScalarFunction, VARCHAR } = await import('@duckdb/node-api')
  await rm(options.tempDir, { recursive: true, force: true })
  await mkdir(options.tempDir, { recursive: true, mode: 0o700 })
  const instance = await DuckDBInstance.create(
    ':memory:',
    withoutUndefined({
      memory_limit: options.memoryLimit,
      temp_directory: options.tempDir,
      // A query states the order of rows if it matters. Keeping the order everywhere would need memory for whole files.
      preserve_insertion_order: 'false',
      // Otherwise an extension would be downloaded from the network.
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      threads: options.threads?.toString(),
    }),
  )
  const connection = await instance.connect()
  for (const one of sqlTextFunctions(KEY_FUNCTIONS))
    connection.registerScalarFunction(
      DuckDBScalarFunction.create({ ...one, parameterTypes: [VARCHAR], returnType: VARCHAR }),
    )
  connection.closeSync()
  return databaseOn(instance)
}

function databaseOn(instance: DuckDBInstance): PeopleDatabase {
  const connections = new Set<DuckDBConnection>()
  const sessions = new Set<Promise<unknown>>()
  let closed = false
  const refuseWhenClosed = () => {
    if (closed) throw new Error('the database was closed')
  }

  async function perform<T>(work: (session: PeopleSession) => Promise<T>): Promise<T> {
    const connection = await instance.connect()
    connections.add(connection)
    try {
      refuseWhenClosed()
      await connection.run("SET TimeZone = 'UTC'")
      return await work(sessionOn(connection, refuseWhenClosed))
    } finally {
      connections.delete(connection)
      connection.closeSync()
    }
  }

  return {
    async session(work) {
      refuseWhenClosed()
      const session = perform(work)
      // Registered while it is still connecting, because closing an instance with an open connection crashes the
      // process.
      sessions.add(session)
      try {
        return await session
      } finally {
        sessions.delete(session)
      }
    },
    async close() {
      closed = true
      for (const connection of connections) connection.interrupt()
      await Promise.allSettled(sessions)
      instance.closeSync()
    },
  }
}

/**
 * A session on a connection. An interruption ends only one statement, so `refuseWhenClosed` prevents the next statement
 * from starting.
 */
function sessionOn(connection: DuckDBConnection, refuseWhenClosed: () => void): PeopleSession {
  return {
    async run(sql) {
      refuseWhenClosed()
      return (await connection.run(sql)).rowsChanged
    },
    async rows(sql) {
      refuseWhenClosed()
      return (await connection.runAndReadAll(sql)).getRowObjects()
    },
  }
}
