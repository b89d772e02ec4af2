import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { JobRequest } from '../../../src/service/jobs/job.ts'
import { openStore } from '../../../src/service/storage/store.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { watchCompilations } from '../../support/watch-compilations.ts'

/**
 * What a statement may scan completely: a page that is already cut, the only row of the clock, and the tables that the
 * control API reports on, newest first until it has enough.
 */
const ALLOWED = [
  { scan: /^SCAN page$/, of: /^WITH page AS \(.* LIMIT \?\d+ OFFSET \?\d+\) SELECT / },
  { scan: /^SCAN service_clock$/, of: /FROM service_clock$/ },
  { scan: /^SCAN (jobs|s|m|a)$/, of: /ORDER BY (jobs\.id|s\.seq|m\.id|a\.id) DESC LIMIT \?\d+$/ },
]

test('no statement of the store walks over a whole table', () => {
  const scans = preparedStatements().flatMap(({ sql, plan }) =>
    plan
      .filter((step) => step.startsWith('SCAN '))
      .filter((step) => !ALLOWED.some(({ scan, of }) => scan.test(step) && of.test(sql)))
      .map((step) => `${step}: ${sql}`),
  )
  expect(scans).toEqual([])
})

test.each([
  ['the own id of a segment', /SELECT id FROM segments/, 'USING INDEX segments_by_own_id'],
  ['whether an own id is taken', /SELECT 1 FROM segments WHERE owner/, 'USING INDEX segments_by_own_id'],
  ['a job', /participant, kind, .* created_at AS createdAt FROM jobs WHERE id/, 'USING INTEGER PRIMARY KEY'],
  ['whether a job is due', /SELECT 1 FROM jobs WHERE due_at/, 'USING INDEX jobs_due'],
  ['the jobs that are due', /createdAt FROM jobs WHERE due_at/, 'USING INDEX jobs_due'],
])('%s is found by an index', (_what, sql, index) => {
  const found = preparedStatements().filter((one) => sql.test(one.sql))
  expect(found).toHaveLength(1)
  expect(found[0]?.plan.join('\n')).toContain(index)
})

test('the jobs that are due come in the order of their numbers, without a sort', () => {
  const [found] = preparedStatements().filter(({ sql }) => /createdAt FROM jobs WHERE due_at/.test(sql))
  expect(found?.plan.filter((step) => step.includes('TEMP B-TREE'))).toEqual([])
  const store = openStore(join(tempFolder(), 'service.db'))
  onTestFinished(() => store.close())
  const request = { kind: 'segments.refresh' } as JobRequest
  const job = { participant: 1, status: 'PENDING', dueAt: 5, segmentId: 's', request, at: 1 } as const
  const ids = Array.from({ length: 11 }, () => store.jobs.insert(job))
  expect(store.jobs.due(5, { work: false, limit: 20 }).map(({ id }) => id)).toEqual(ids)
})

test('the jobs that are due are asked for without compiling anything anew', async () => {
  const compilations = watchCompilations()
  const store = openStore(join(tempFolder(), 'service.db'))
  onTestFinished(() => store.close())
  const request = { kind: 'segments.refresh' } as JobRequest
  store.jobs.insert({ participant: 1, status: 'PENDING', dueAt: 5, segmentId: 's', request, at: 1 })
  expect(await compilations(() => store.jobs.due(5, { work: false, limit: 20 }))).toBe(0)
})

/** The statements that the store prepares when it opens, one per line, with SQLite's plans. */
function preparedStatements(): { sql: string; plan: string[] }[] {
  const folder = mkdtempSync(join(tmpdir(), 'audience-plans-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare')
  onTestFinished(() => prepare.mockRestore())
  const store = openStore(join(folder, 'service.db'))
  onTestFinished(() => store.close())
  const [db] = prepare.mock.contexts
  const texts = prepare.mock.calls
    .map(([sql]) => sql)
    .filter((sql) => /^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)\b/.test(sql))
  expect(texts.length).toBeGreaterThan(40)
  return texts.map((sql) => ({
    sql: sql.replaceAll(/\s+/g, ' ').trim(),
    plan: (db as DatabaseSync)
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail)),
  }))
}
