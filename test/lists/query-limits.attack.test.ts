import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { LIST_LIMITS } from '../../src/core/list-limits.ts'
import { isLong } from '../support/is-long.ts'
import { childrenOf, residentOf } from '../support/processes.ts'
import { listBench } from './list-bench.ts'

const MEMORY = 300e6
const limits = { ...LIST_LIMITS, memoryBytes: MEMORY, timeoutMs: 60_000 }
const rows = 'email\nann@example.com\n'

/** The first queries of each kind; in the long form, all of them. */
const some = (queries: readonly string[], count: number) => (isLong ? queries : queries.slice(0, count))

/** Queries that need gigabytes. The limit bounds each of them, so this test needs no more than that. */
const BOMBS = [
  "SELECT CASE WHEN length(repeat('x', 3000000000)) > 1 THEN 'a@x.test' END",
  "SELECT string_agg(range::VARCHAR, ',') FROM range(400000000)",
  "WITH RECURSIVE r(t) AS (SELECT 'x' UNION ALL SELECT t || t FROM r) SELECT t FROM r",
  "SELECT CASE WHEN length(repeat(repeat('x', 100000), 30000)) > 1 THEN 'a@x.test' END",
  "SELECT CASE WHEN length(lpad('x', 2000000000, 'y')) > 1 THEN 'a@x.test' END",
  "SELECT CASE WHEN length(replace(repeat('x', 40000000), 'x', repeat('y', 100))) > 1 THEN 'a@x.test' END",
  "SELECT CASE WHEN length(regexp_replace(repeat('x', 40000000), 'x', repeat('y', 100), 'g')) > 1 THEN 'a@x.test' END",
  "SELECT CASE WHEN length(format('{:>2000000000}', 'x')) > 1 THEN 'a@x.test' END",
  "SELECT CASE WHEN length(printf('%2000000000s', 'x')) > 1 THEN 'a@x.test' END",
  "SELECT CASE WHEN len(range(400000000)) > 1 THEN 'a@x.test' END",
  "SELECT CASE WHEN len(list_sort(range(400000000))) > 1 THEN 'a@x.test' END",
  'SELECT unnest(range(400000000))::VARCHAR',
  "SELECT CASE WHEN len(list(range)) > 1 THEN 'a@x.test' END FROM range(400000000)",
  "SELECT CASE WHEN cardinality(map_from_entries(list((range, range)))) > 1 THEN 'a@x.test' END FROM range(100000000)",
  "SELECT CASE WHEN length(to_json(list(range))::VARCHAR) > 1 THEN 'a@x.test' END FROM range(400000000)",
  "SELECT CASE WHEN len(list_transform(range(60000000), lambda x: repeat('y', 200))) > 1 THEN 'a@x.test' END",
  "SELECT CASE WHEN len(string_split(repeat('x,', 60000000), ',')) > 1 THEN 'a@x.test' END",
  "SELECT CASE WHEN len(regexp_extract_all(repeat('x,', 60000000), 'x')) > 1 THEN 'a@x.test' END",
  "WITH RECURSIVE r(t) AS (SELECT ['x'] UNION ALL SELECT t || t FROM r) SELECT t::VARCHAR FROM r",
]

test.each(some(BOMBS, 3))('a query that takes memory without end is the error of its step: %s', async (sql) => {
  const bench = listBench({ limits })
  const before = process.memoryUsage().rss
  const watch = watchChildren()
  await expect(bench.prepare(rows, { sql })).rejects.toMatchObject({ code: 'list-memory' })
  expect(process.memoryUsage().rss - before).toBeLessThan(MEMORY)
  expect(watch.stop()).toBeLessThan(MEMORY + 250e6)
  expect(readdirSync(bench.folder)).toEqual(['run-1'])
})

/** Queries that never end but need no memory. */
const ENDLESS = [
  "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT (n + 1) % 1000 FROM r) SELECT 'a@x.test' FROM r WHERE n < 0",
  "SELECT CASE WHEN count(*) > 1 THEN 'a@x.test' END FROM range(1000000) a, range(1000000) b WHERE a.range * b.range = 7",
  "SELECT CASE WHEN sum(hash(range)) > 1 THEN 'a@x.test' END FROM range(100000000000)",
]

test.each(some(ENDLESS, 1))('a query without end is ended: %s', async (sql) => {
  const bench = listBench({ limits: { ...limits, timeoutMs: 1000 } })
  await expect(bench.prepare(rows, { sql })).rejects.toMatchObject({
    code: 'list-timeout',
    message: 'the list was not ready after 1.0 s',
    hint: expect.stringContaining('lists.timeout'),
  })
})

/** The largest resident memory of any process that works on lists. */
function watchChildren() {
  let most = 0
  const look = setInterval(() => {
    for (const pid of childrenOf(process.pid)) most = Math.max(most, residentOf(pid))
  }, 10)
  return {
    stop() {
      clearInterval(look)
      return most
    },
  }
}

/** Queries that are deeply nested for the parser, the planner or the checks of DuckDB. */
const DEEP = [
  `SELECT ${'('.repeat(9000)}'a@x.test'${')'.repeat(9000)}`,
  `SELECT ${'['.repeat(9000)}1${']'.repeat(9000)}::VARCHAR`,
  `SELECT ${'-'.repeat(1).repeat(1)}${'- '.repeat(9000)}1::VARCHAR`,
  `SELECT CASE WHEN ${'NOT '.repeat(4500)}true THEN 'a@x.test' END`,
  `${'SELECT * FROM ('.repeat(1200)}SELECT 'a@x.test'${')'.repeat(1200)}`,
  `SELECT 'a@x.test'${" || 'x'".repeat(2400)}`,
  `SELECT CAST(NULL AS ${'STRUCT(a '.repeat(2000)}INT${')'.repeat(2000)})::VARCHAR`,
  `SELECT json_extract('${'['.repeat(9000)}${']'.repeat(9000)}', '$[0]')::VARCHAR`,
  "SELECT regexp_replace('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!', '((((a+)+)+)+)+$', 'b')",
  "SELECT regexp_replace(repeat('a', 100000), '(((a{1,100}){1,100}){1,100}){1,100}', 'b')",
  'SELECT (10::DECIMAL(38,0) * 99999999999999999999999999999999999999::DECIMAL(38,0))::VARCHAR',
  'SELECT factorial(100000)::VARCHAR',
  'SELECT pow(10, 400)::DECIMAL(38,0)::VARCHAR',
]

test.each(some(DEEP, 5))('a query that goes deep ends with its process, if at all: %#', async (sql) => {
  const bench = listBench({ limits })
  const { code } = await bench.prepare(rows, { sql }).then(
    () => ({ code: 'list-empty' }),
    (error: { code: string }) => error,
  )
  expect(code).toMatch(/^list-(?:sql|memory|process|empty|timeout)$/)
  await expect(bench.prepare(rows, { column: 'email' })).resolves.toMatchObject({ keys: 1 })
})
