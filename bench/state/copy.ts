import { copyState } from '../../src/state/copy/copy-state.ts'
import { checkDatabase } from '../../src/state/postgres/check-database.ts'
import { migrateDatabase } from '../../src/state/postgres/migrate-database.ts'
import { openState } from '../../src/state/sqlite/open-state.ts'
import { startPostgres, stopPostgres } from '../../test/support/start-postgres.ts'
import { describeMachine } from '../engine/describe-machine.ts'
import { printTable, verdict } from '../engine/print-table.ts'
import { fillRuns } from '../support/fill-runs.ts'
import { withTempFolder } from '../support/temp-folder.ts'

/** Copies a state with records to PostgreSQL, and checks it there. Usage: node copy.ts [RUNS] */
const RUNS = Number(process.argv[2] ?? 100_000)
const RECORDS = 12
/** Most of it is what V8 has not collected yet; it does not grow with the number of runs. */
const MOST_MEMORY_MB = 250
const MB = 1024 * 1024

const postgres = await startPostgres()
try {
  await withTempFolder(async (folder) => {
    console.log(describeMachine())
    fillRuns(folder, { runs: RUNS, waiting: 0, now: Date.now() })
    addRecords(folder)
    const to = `${postgres.url}/postgres`
    await migrateDatabase(to)
    globalThis.gc?.()
    const restingBytes = process.memoryUsage().rss
    let mostBytes = 0
    const copyMs = await timeOf(() =>
      copyState({
        from: folder,
        to,
        onProgress: () => {
          mostBytes = Math.max(mostBytes, process.memoryUsage().rss)
        },
      }),
    )
    let check: Awaited<ReturnType<typeof checkDatabase>> | undefined
    const checkMs = await timeOf(async () => {
      check = await checkDatabase(to)
    })
    const grownMb = (mostBytes - restingBytes) / MB
    printTable(
      [`${RUNS.toLocaleString('en')} runs of ${RECORDS} records`, 'measured', 'limit'],
      [
        ['copy to PostgreSQL', `${(copyMs / 1000).toFixed(1)} s`, ''],
        ['memory that it needs', `${grownMb.toFixed(0)} MB`, verdict(grownMb <= MOST_MEMORY_MB)],
        ['check of the database', `${(checkMs / 1000).toFixed(1)} s`, ''],
        ['it is whole', `${check?.records} records`, verdict(check?.ok === true && check.records === RUNS * RECORDS)],
      ],
    )
  })
} finally {
  stopPostgres(postgres.data)
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

/** Each run gets records of medium size, and the document of its pipeline. */
function addRecords(folder: string): void {
  const db = openState(folder)
  db.exec(`
    INSERT INTO documents (digest, text) SELECT DISTINCT pipeline, 'name: ' || pipeline FROM runs;
    UPDATE runs SET document = (SELECT id FROM documents WHERE digest = pipeline);
    WITH numbers (seq) AS (SELECT 0 UNION ALL SELECT seq + 1 FROM numbers WHERE seq < ${RECORDS - 1})
    INSERT INTO records (run_id, seq, at, data)
    SELECT run_id, seq, submitted_at + seq, json_object(
      'type', CASE seq WHEN 0 THEN 'run.submitted' WHEN ${RECORDS - 1} THEN 'run.finished' ELSE 'effect.done' END,
      'step', 'match', 'attempt', 1, 'name', 'answer', 'value', hex(randomblob(100)))
    FROM runs CROSS JOIN numbers ORDER BY run_id, seq`)
  db.close()
}
