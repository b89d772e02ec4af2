import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { answerParent } from '../support/child.ts'
import { APPROVER, type Figures, PROVIDER, SCOPES, type Work } from './work.ts'

/**
 * The same work, done with the SQL that an expert who knows the files would type into DuckDB. It gives the same
 * figures, but stores nothing durably.
 */
answerParent({
  async measure({ dataDir, csvFile, target, tuned }: Work & { tuned: boolean }): Promise<Figures> {
    const settings = { memory_limit: '1GB', preserve_insertion_order: 'false', temp_directory: join(dataDir, 'hand') }
    const instance = await DuckDBInstance.create(':memory:', tuned ? settings : {})
    const duckdb = await instance.connect()
    const graph = join(dataDir, `population/graphs/${PROVIDER}/EMAIL.key.parquet`)
    const universe = join(dataDir, `population/universes/${APPROVER}.parquet`)
    const segment = `${target}.segment.parquet`
    const match = `${target}.match.parquet`

    const begun = performance.now()
    await duckdb.run(`CREATE TEMP TABLE found AS
      SELECT key, count(*) AS lines FROM (
        SELECT CASE WHEN regexp_full_match(trim(email), '[^ ",;<>@]+@[^ ",;<>@]+') THEN lower(trim(email)) END AS key
        FROM read_csv('${csvFile}', header = true, columns = {'email': 'VARCHAR'}))
      GROUP BY key`)
    await duckdb.runAndReadAll(
      'SELECT sum(lines), sum(lines) FILTER (key IS NULL), count(key), bool_or(strlen(key) = 64) FROM found',
    )
    const members = await written(
      duckdb,
      `COPY (SELECT DISTINCT bgid FROM read_parquet('${graph}') JOIN found USING (key)) TO '${segment}'`,
    )
    const built = performance.now()
    const matchCount = await written(
      duckdb,
      `COPY (SELECT bgid FROM read_parquet('${segment}') WHERE bgid IN (
        SELECT bgid FROM read_parquet('${universe}') WHERE ${SCOPES.join(' OR ')})) TO '${match}'`,
    )
    const matched = performance.now()
    duckdb.closeSync()
    instance.closeSync()
    const peakBytes = process.resourceUsage().maxRSS * 1024
    return { segmentMs: built - begun, matchMs: matched - built, members, matchCount, peakBytes }
  },
})

async function written(duckdb: DuckDBConnection, sql: string): Promise<number> {
  return (await duckdb.run(sql)).rowsChanged
}
