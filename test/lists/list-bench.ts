import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import type { ListFigures, ListRequest } from '../../src/lists/list-request.ts'
import { type ListsOptions, openLists } from '../../src/lists/open-lists.ts'
import { tempFolder } from '../support/temp-folder.ts'

const PLACE = { runId: 'run-1', stepKey: 'list', pipeline: 'nightly' }

/** Prepares lists of texts in a folder of its own, which ends with the test. */
export function listBench({ suppress = [], sources = {}, ...limits }: Partial<Omit<ListsOptions, 'folder'>> = {}) {
  const base = tempFolder()
  const folder = join(base, 'lists')
  const lists = openLists({ folder, sources, suppress, ...limits })
  const prepareFile = (file: string, request: Partial<ListRequest> = {}): Promise<ListFigures> =>
    lists.make({ from: { file }, signal: 'EMAIL', ...request }, PLACE, new AbortController().signal)
  return {
    base,
    folder,
    lists,
    place: PLACE,
    prepareFile,
    /** Prepares a list of e-mail addresses, if the request does not say otherwise. */
    prepare(content: string | Uint8Array, request: Partial<ListRequest> = {}): Promise<ListFigures> {
      const file = join(base, 'people')
      writeFileSync(file, content)
      return prepareFile(file, request)
    },
    content: () => readFileSync(lists.fileOf(PLACE), 'utf8'),
  }
}

/** What a query gives, as a Parquet file. */
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
