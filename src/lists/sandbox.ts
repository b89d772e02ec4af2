import type { DuckDBConnection } from '@duckdb/node-api'
import { KEY_FUNCTIONS } from '../contract/key-functions.ts'
import { AudienceError } from '../core/errors.ts'
import { literal } from '../platform/sql-text.ts'
import { textFunctions } from '../platform/text-functions.ts'
import { sandboxError } from './sandbox-error.ts'

/** DuckDB for one list. It reaches the files that it was opened with, and nothing else of this machine. */
export interface Sandbox {
  /** Runs a statement. `query`: the document's own SQL in it. Throws AudienceErrors without any text of DuckDB. */
  run(sql: string, query?: string): Promise<void>
  /** The rows of a statement. 64-bit integers are bigint. */
  rows(sql: string): Promise<Record<string, unknown>[]>
  /** The number of columns that a document's SQL gives; throws if it is not one SELECT. */
  columnsOf(query: string): Promise<number>
}

/** What DuckDB may keep in memory; the rest goes to `tempDir`. */
const MEMORY = '512MB'
/** More threads would need more memory than that. */
const THREADS = 2
/** The longest time for one list. */
const TIMEOUT_MS = 1_800_000
/** DuckDB's number of this kind of statement. */
const SELECT = 1

/**
 * Opens DuckDB for `work` and closes it after that. DuckDB is imported only here, so that only a run that prepares a
 * list pays for it. When the signal aborts, or the time is over, what runs is interrupted.
 */
export async function inSandbox<T>(
  place: { readonly files: readonly string[]; readonly tempDir: string; readonly signal: AbortSignal },
  work: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  const { DuckDBInstance, DuckDBScalarFunction, VARCHAR } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: MEMORY,
    threads: String(THREADS),
    temp_directory: place.tempDir,
    preserve_insertion_order: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const over = AbortSignal.any([place.signal, timeout])
  try {
    const connection = await instance.connect()
    const interrupt = () => connection.interrupt()
    over.addEventListener('abort', interrupt)
    try {
      for (const one of textFunctions(KEY_FUNCTIONS))
        connection.registerScalarFunction(
          DuckDBScalarFunction.create({ ...one, parameterTypes: [VARCHAR], returnType: VARCHAR }),
        )
      const sandbox = sandboxOn(connection, over)
      await sandbox.run("SET TimeZone = 'UTC'")
      await sandbox.run(`SET allowed_paths = [${place.files.map(literal).join(', ')}]`)
      await sandbox.run('SET enable_external_access = false')
      await sandbox.run('SET lock_configuration = true')
      return await work(sandbox)
    } finally {
      over.removeEventListener('abort', interrupt)
      connection.closeSync()
    }
  } catch (error) {
    throw timeout.aborted && !place.signal.aborted ? tookTooLong() : error
  } finally {
    instance.closeSync()
  }
}

function sandboxOn(connection: DuckDBConnection, over: AbortSignal): Sandbox {
  const perform = async <T>(query: string | undefined, act: () => Promise<T>): Promise<T> => {
    // An interruption ends only one statement; this keeps the next from starting.
    over.throwIfAborted()
    try {
      return await act()
    } catch (error) {
      over.throwIfAborted()
      throw sandboxError(error, query)
    }
  }
  return {
    run: (sql, query) => perform(query, async () => void (await connection.run(sql))),
    rows: (sql) => perform(undefined, async () => (await connection.runAndReadAll(sql)).getRowObjects()),
    columnsOf: (query) =>
      perform(query, async () => {
        const statements = await connection.extractStatements(query)
        if (statements.count !== 1) throw notOneSelect()
        const statement = await statements.prepare(0)
        try {
          if (statement.statementType !== SELECT) throw notOneSelect()
          return statement.columnCount
        } finally {
          statement.destroySync()
        }
      }),
  }
}

function notOneSelect(): AudienceError {
  return new AudienceError({
    code: 'list-sql',
    kind: 'failed',
    message: 'sql is not one SELECT',
    hint: 'write one query on `input` that gives one column: SELECT email FROM input',
  })
}

function tookTooLong(): AudienceError {
  return new AudienceError({
    code: 'list-timeout',
    kind: 'failed',
    message: `the list was not ready after ${TIMEOUT_MS / 60_000} minutes`,
    hint: 'select fewer rows and columns',
  })
}
