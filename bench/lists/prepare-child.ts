import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { openLists } from '../../src/lists/open-lists.ts'
import { answerParent } from '../support/child.ts'
import { watchChildren } from '../support/children-used.ts'

/** The result of one side. */
export interface Made {
  readonly ms: number
  /** The processor time of all threads and processes. */
  readonly processorMs: number
  readonly keys: number
  readonly sha256: string
  /** The peak of the process with DuckDB. */
  readonly peakBytes: number
  /** The peak of the process that requested the list, if that is a different one. */
  readonly parentBytes?: number
}

answerParent({
  async ours({ file, folder }: { file: string; folder: string }): Promise<Made> {
    const lists = openLists({ folder: join(folder, 'lists'), sources: {}, suppress: [] })
    const children = watchChildren()
    const begun = performance.now()
    const place = { runId: 'run', stepKey: 'list', pipeline: 'bench' }
    const request = { from: { file }, column: 'email', signal: 'EMAIL' } as const
    const { keys, sha256 } = await lists.make(request, place, new AbortController().signal)
    const ms = performance.now() - begun
    const own = used()
    const others = children.stop()
    await lists.close()
    return {
      ...{ ms, keys, sha256, processorMs: own.processorMs + others.processorMs },
      peakBytes: others.peakBytes,
      parentBytes: own.peakBytes,
    }
  },

  /**
   * The same list, made with the SQL that an expert who knows the file would type into DuckDB, with the same settings
   * and a checksum.
   */
  async byHand({ file, folder, tuned }: { file: string; folder: string; tuned: boolean }): Promise<Made> {
    await mkdir(folder, { recursive: true })
    const settings = {
      memory_limit: '512MB',
      threads: '2',
      preserve_insertion_order: 'false',
      temp_directory: join(folder, 'tmp'),
    }
    const begun = performance.now()
    const instance = await DuckDBInstance.create(':memory:', tuned ? settings : {})
    const duckdb = await instance.connect()
    const target = join(folder, 'by-hand.csv')
    const { rowsChanged: keys } = await duckdb.run(`COPY (
      SELECT DISTINCT lower(trim(email)) AS email FROM ${file.endsWith('.parquet') ? `read_parquet('${file}')` : `read_csv('${file}', all_varchar = true)`}
      WHERE regexp_full_match(trim(email), '[^ ",;<>@]+@[^ ",;<>@]+') ORDER BY 1) TO '${target}' (HEADER)`)
    duckdb.closeSync()
    instance.closeSync()
    const hash = createHash('sha256')
    for await (const chunk of createReadStream(target, { highWaterMark: 1 << 20 })) hash.update(chunk)
    return {
      ms: performance.now() - begun,
      keys,
      sha256: hash.digest('hex'),
      ...used(),
    }
  },

  /** Writes rows in no particular order: one in ten appears twice, and one in a hundred is not an address. */
  async write({ file, rows }: { file: string; rows: number }): Promise<void> {
    const instance = await DuckDBInstance.create(':memory:', { memory_limit: '2GB' })
    const duckdb = await instance.connect()
    const format = file.endsWith('.parquet') ? 'PARQUET' : 'CSV'
    await duckdb.run(`COPY (SELECT 'Person ' || n AS name, CASE WHEN n % 100 = 0 THEN 'none' ELSE
        ' Amber.Fox' || (hash(n % ${Math.floor((rows * 9) / 10)}) % 100000000000) || '@Example.com' END AS email, n % 3 = 0 AS consent
      FROM range(${rows}) AS numbers(n) ORDER BY hash(n + 1)) TO '${file}' (FORMAT ${format})`)
    duckdb.closeSync()
    instance.closeSync()
  },
})

function used() {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  return { processorMs: (userCPUTime + systemCPUTime) / 1000, peakBytes: maxRSS * 1024 }
}
