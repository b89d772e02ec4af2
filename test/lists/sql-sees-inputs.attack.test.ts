import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { LIST_LIMITS } from '../../src/core/list-limits.ts'
import { Sandboxes } from '../../src/lists/sandbox.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { listBench } from './list-bench.ts'

const SECRET = 'left@x.test'
/** As in the product: a document's SQL gets its own process. */
const sandboxes = new Sandboxes(LIST_LIMITS)
afterAll(() => sandboxes.close())

/** Two lists. One of them is first decompressed next to the people. */
const NAMES = ['who-left.csv', 'who-left.csv.gz']

/**
 * What a document's query can see besides its input, as hex, so that each value is an id. The query asks for the list
 * called `name`.
 */
async function seen(query: string, name = 'who-left.csv'): Promise<string> {
  const folder = tempFolder()
  const suppress = NAMES.map((each) => join(folder, each))
  const list = `email\n${SECRET}\n`
  for (const file of suppress) writeFileSync(file, file.endsWith('.gz') ? gzipSync(list) : list)
  const bench = listBench({ suppress, sandboxes })
  const sql = query
    .replaceAll('OPT_OUTS', join(folder, name))
    .replaceAll('FOLDER', folder)
    .replaceAll('LISTS', bench.folder)
    .replaceAll('TARGET', `${bench.lists.fileOf(bench.place)}.part`)
    .replaceAll('OWN', dirname(bench.lists.fileOf(bench.place)))
  try {
    await bench.prepare('id\nx1\nx2\n', {
      sql: `SELECT hex(CAST(v AS VARCHAR)) FROM (${sql}) AS t(v)`,
      signal: 'RECORD_ID',
    })
  } catch (error) {
    return String(error)
  }
  const keys = readFileSync(bench.lists.fileOf(bench.place), 'utf8').split('\n').slice(1, -1)
  return keys.map((key) => Buffer.from(key, 'hex').toString()).join('\n')
}

/** Ways to the opt-outs: the file, its copy, and what DuckDB says about files, tables and settings. */
const QUERIES = [
  "SELECT content FROM read_text('OPT_OUTS')",
  "SELECT content FROM read_text('FOLDER/*')",
  "SELECT content FROM read_text(['OPT_OUTS'])",
  "SELECT content FROM read_text('file://OPT_OUTS')",
  "SELECT content FROM read_text('LISTS/../../OPT_OUTS')",
  "SELECT content FROM read_blob('OPT_OUTS')",
  "SELECT * FROM read_csv('OPT_OUTS', header = false)",
  "SELECT * FROM read_csv('OPT_OUTS', header = false, compression = 'gzip')",
  "SELECT line FROM read_csv('FOLDER/who*', columns = {'line': 'VARCHAR'}, header = false, auto_detect = false)",
  "SELECT json FROM read_json_objects('OPT_OUTS', ignore_errors = true)",
  "SELECT * FROM 'OPT_OUTS'",
  'SELECT * FROM "OPT_OUTS"',
  "SELECT file FROM glob('FOLDER/*')",
  "SELECT file FROM glob('**/*')",
  "SELECT file FROM glob('OWN/**')",
  "SELECT content FROM read_text('OWN/**')",
  "SELECT filename FROM read_text('OWN/*/*')",
  "SELECT content FROM read_text('OWN/*/opt-outs*')",
  "SELECT content FROM read_text('TARGET')",
  "SELECT filename || size FROM read_blob('TARGET')",
  "SELECT * FROM query('SELECT content FROM read_text(''OPT_OUTS'')')",
  "SELECT * FROM query_table('OPT_OUTS')",
  "SELECT content FROM (SELECT 'OPT_OUTS' AS f), LATERAL (FROM read_text(f))",
  "WITH RECURSIVE r AS (SELECT content FROM read_text('OPT_OUTS') UNION SELECT content FROM r) SELECT content FROM r",
  "SELECT string_agg(table_name || coalesce(sql, '')) FROM duckdb_tables()",
  "SELECT view_name || coalesce(sql, '') FROM duckdb_views()",
  'SELECT column_name || table_name FROM duckdb_columns()',
  "SELECT name || coalesce(value, '') FROM duckdb_settings()",
  "SELECT coalesce(current_setting('allowed_paths')::VARCHAR, '')",
  "SELECT database_name || coalesce(path, '') FROM duckdb_databases()",
  'SELECT path || size FROM duckdb_temporary_files()',
  'SELECT name FROM duckdb_secrets()',
  'SELECT message FROM duckdb_logs',
  'SELECT path FROM duckdb_external_file_cache()',
  'SELECT key FROM found',
  'SELECT key FROM opted_email',
  'SELECT key FROM temp.opted_email',
  'SELECT rest FROM opt_outs',
  'SELECT csv_line FROM reject_errors',
  "SELECT count(*) FROM input; ATTACH 'OPT_OUTS' AS a",
  "SELECT 1) AS t(v); COPY (SELECT 1) TO 'OPT_OUTS'; SELECT * FROM (SELECT 1",
  "SELECT 1) AS t(v); ATTACH 'OPT_OUTS' AS a (TYPE sqlite); SELECT * FROM (SELECT 1",
  "SELECT 1) AS t(v); SET enable_external_access = true; SELECT * FROM (SELECT content FROM read_text('OPT_OUTS')",
  'SELECT 1) AS t(v); INSTALL sqlite; LOAD sqlite; SELECT * FROM (SELECT 1',
  "SELECT * FROM sqlite_scan('OPT_OUTS', 'x')",
  "SELECT getenv('HOME')",
]

test.each(QUERIES)('a query sees no opt-outs: %s', async (query) => {
  for (const name of query.includes('OPT_OUTS') ? NAMES : NAMES.slice(0, 1)) {
    const found = await seen(query, name)
    expect(found).not.toContain(SECRET)
    expect(found).not.toContain('who-left')
    expect(found).not.toMatch(/opt-outs|opted/)
  }
})

test('and it sees its input', async () => {
  expect(await seen('SELECT id FROM input')).toBe('x1\nx2')
})
