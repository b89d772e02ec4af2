import { copyState } from '../../src/state/copy/copy-state.ts'
import { migrateDatabase } from '../../src/state/postgres/migrate-database.ts'
import { openPostgresState } from '../../src/state/postgres/open-postgres-state.ts'
import type { State } from '../../src/state/state.ts'
import { around } from '../../test/support/around.ts'
import { startPostgres, stopPostgres } from '../../test/support/start-postgres.ts'
import { describeMachine } from '../engine/describe-machine.ts'
import { printTable, verdict } from '../engine/print-table.ts'
import { fillRuns } from '../support/fill-runs.ts'
import { withTempFolder } from '../support/temp-folder.ts'
import { medianMs, READS, searchToTheEnd } from './timed-reads.ts'

/** The reads of pages over many runs in PostgreSQL, and how long the copy takes. Usage: node reads-postgres.ts [RUNS] [PIPELINES] */
const RUNS = Number(process.argv[2] ?? 100_000)
const PIPELINES = Number(process.argv[3] ?? 40)
const LONGEST_READ_MS = 50
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const MORE_READS: typeof READS = {
  'of a trigger, in a month': ({ runs }, now) =>
    runs.page({ trigger: 'night', from: now - 60 * DAY_MS, to: now - 30 * DAY_MS, limit: 50 }),
  'of a trigger that nobody has, one page': ({ runs }) => runs.page({ trigger: 'drop', limit: 50 }),
  'failed or waiting': ({ runs }) => runs.page({ status: ['failed', 'waiting'], limit: 50 }),
  'a page in the middle': ({ runs }, now) =>
    runs.page({ limit: 50, after: { submittedAt: now - 180 * DAY_MS, runId: 'x' } }),
  'without an owner': ({ runs }) => runs.page({ ownerless: true, status: ['running', 'waiting'], limit: 50 }),
  'a shortened id': ({ runs }) => runs.named('004242', 5),
  'changes since the last one': async ({ runs }) => runs.changedSince((await runs.lastChange()) - 50, 50),
  'unfinished by status': ({ runs }) => runs.counts(),
  'names of pipelines': ({ runs }) => runs.pipelines(),
  'last success': ({ runs }) => runs.lastSuccess('pipeline-7'),
  'what has expired': ({ runs }, now) =>
    runs.expired({ pipeline: 'pipeline-7', before: now - 30 * DAY_MS, keep: 100, limit: 500 }),
}

const postgres = await startPostgres()
try {
  await withTempFolder(async (folder) => {
    console.log(describeMachine())
    const now = Date.now()
    fillRuns(folder, { runs: RUNS, waiting: 0, now, pipelines: PIPELINES })
    const to = `${postgres.url}/postgres`
    await migrateDatabase(to)
    const begun = performance.now()
    await copyState({ from: folder, to })
    const copyMs = performance.now() - begun
    const state = await openPostgresState({ url: to, redact: (text) => text, ...around })
    await addWaitsAndSlots(state.pool)
    const rows = await timesOf({ ...READS, ...MORE_READS }, state, now)
    const wholeMs = await medianMs(() => searchToTheEnd(state))
    await state.close()
    printTable(
      [`reads of ${RUNS.toLocaleString('en')} runs in PostgreSQL`, 'median', 'limit'],
      [
        ...rows,
        [`a search to its end`, `${wholeMs.toFixed(0)} ms`, ''],
        ['copy of the state, in all', `${(copyMs / 1000).toFixed(1)} s`, ''],
      ],
    )
  })
} finally {
  stopPostgres(postgres.data)
}

async function timesOf(reads: typeof READS, state: State, now: number): Promise<string[][]> {
  const rows: string[][] = []
  for (const [name, read] of Object.entries(reads)) {
    const ms = await medianMs(() => read(state, now))
    rows.push([name, `${ms.toFixed(2)} ms`, verdict(ms <= LONGEST_READ_MS)])
  }
  return rows
}

/** Three runs wait for a person, and each run has a slot. */
async function addWaitsAndSlots(db: { query(text: string): Promise<unknown> }): Promise<void> {
  await db.query(`UPDATE audience.runs SET status = 'waiting', finished_at = NULL
    WHERE run_id IN (SELECT run_id FROM audience.runs ORDER BY run_id DESC LIMIT 3)`)
  await db.query(`INSERT INTO audience.occurrences (pipeline, trigger_name, key, at, state, run_id)
    SELECT pipeline, 'night', trigger_label || run_id, submitted_at, 'ran', run_id FROM audience.runs`)
  await db.query('VACUUM ANALYZE')
}
