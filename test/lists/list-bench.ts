import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { LIST_LIMITS } from '../../src/core/list-limits.ts'
import type { ListFigures, ListRequest } from '../../src/lists/list-request.ts'
import { type ListsOptions, openLists } from '../../src/lists/open-lists.ts'
import { type Sandbox, Sandboxes } from '../../src/lists/sandbox.ts'
import { tempFolder } from '../support/temp-folder.ts'

/**
 * Runs a document's SQL in a shared process: the result of a query does not depend on that, and starting a process
 * takes longer.
 */
class SharingSandboxes extends Sandboxes {
  override open<T>(request: Parameters<Sandboxes['open']>[0], work: (sandbox: Sandbox) => Promise<T>): Promise<T> {
    return super.open({ ...request, process: 'shared' }, work)
  }
}

/** Shared by the tests of a file: a process of DuckDB takes longer to start than most of them. */
const shared = new SharingSandboxes(LIST_LIMITS)

const PLACE = { runId: 'run-1', stepKey: 'list', pipeline: 'nightly' }

/**
 * Prepares lists from texts in a new folder, which is removed with the test. With given limits or sandboxes, SQL gets
 * its own process, as always in the product.
 */
export function listBench({ suppress = [], sources = {}, ...limits }: Partial<Omit<ListsOptions, 'folder'>> = {}) {
  const base = tempFolder()
  const folder = join(base, 'lists')
  const sandboxes = limits.limits ? new Sandboxes(limits.limits) : shared
  const lists = openLists({ folder, sources, suppress, sandboxes, ...limits })
  const prepareFile = (file: string, request: Partial<ListRequest> = {}, signal = new AbortController().signal) =>
    lists.make({ from: { file }, signal: 'EMAIL', ...request }, PLACE, signal)
  return {
    base,
    folder,
    /** The file that `prepare` writes and reads. */
    file: join(base, 'people'),
    lists,
    place: PLACE,
    prepareFile,
    /** Prepares a list of e-mail addresses unless the request says otherwise. */
    prepare(
      content: string | Uint8Array,
      request: Partial<ListRequest> = {},
      signal?: AbortSignal,
    ): Promise<ListFigures> {
      const file = join(base, 'people')
      writeFileSync(file, content)
      return prepareFile(file, request, signal)
    },
    content: () => readFileSync(lists.fileOf(PLACE), 'utf8'),
  }
}

/** The result of a query, as a Parquet file. */
export async function parquetOf(query: string): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'parquet-'))
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    const file = join(folder, 'made.parquet')
    await connection.run(`COPY (${query}) TO '${file}' (FORMAT parquet)`)
    return readFileSync(file)
  } finally {
    connection.closeSync()
    instance.closeSync()
    rmSync(folder, { recursive: true })
  }
}
