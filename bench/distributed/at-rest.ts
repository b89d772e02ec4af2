import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { pipeline, step } from '../../test/support/pipelines.ts'
import { sqlRows } from '../../test/support/sql.ts'
import { describeMachine } from '../engine/describe-machine.ts'
import { printTable, verdict } from '../engine/print-table.ts'
import { fourSteps, recording } from '../engine/subjects/four-steps.ts'
import { openBenchWorker, startDatabase } from './open-worker.ts'

const COUNTED_RUNS = 500
const WAITING_RUNS = Number(process.argv[2] ?? 2000)
const LOOK_MS = 20_000
/** An idle connection reports what it has done up to ten seconds later. */
const SETTLE_MS = 15_000
const MOST_ROWS = 20
const MOST_ROWS_OF_DBOS = 3
const MOST_KB = 5
const MOST_TRANSACTIONS = 15

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const database = await startDatabase()
let waits = false
const never = () => new Promise<never>(() => undefined)
const { engine, close } = await openBenchWorker(database.url, (context) =>
  waits ? context.wait('job', never) : recording(context),
)
try {
  const rows = await rowsOfARun()
  const idle = await atRest(0)
  waits = true
  // The memory of a worker that has just become idle varies by 5 MB: too much compared to a run.
  const few = await atRest(WAITING_RUNS / 4)
  const waiting = await atRest(WAITING_RUNS)
  const perRunKb = (waiting.heapBytes - few.heapBytes) / (WAITING_RUNS - WAITING_RUNS / 4) / 1024
  const figure = (name: string, value: number, most: number, digits = 1) => [
    name,
    value.toFixed(digits),
    `≤ ${most}`,
    verdict(value <= most),
  ]
  printTable(
    ['figure', 'measured', 'wanted', ''],
    [
      figure('rows of a run of 4 steps', rows.all, MOST_ROWS),
      figure('… of these DBOS’s own', rows.dbos, MOST_ROWS_OF_DBOS),
      figure(`KB of heap for each parked run, from ${WAITING_RUNS / 4} to ${WAITING_RUNS} runs`, perRunKb, MOST_KB),
      figure('transactions a second, an idle worker', idle.transactions, MOST_TRANSACTIONS),
      figure(`transactions a second, ${WAITING_RUNS} runs waiting`, waiting.transactions, MOST_TRANSACTIONS),
    ],
  )
  console.log(
    `Rows after ${COUNTED_RUNS} runs, in the schemas audience and dbos; transactions by pg_stat_database over ${LOOK_MS / 1000} s.`,
  )
  console.log(describeMachine())
} finally {
  await close()
  database.stop()
}

async function rowsOfARun(): Promise<{ all: number; dbos: number }> {
  const before = await countRows()
  const subject = await fourSteps(async () => ({ engine, close: async () => undefined }))
  await subject.run(COUNTED_RUNS, 50)
  const after = await countRows()
  const dbos = (after.dbos - before.dbos) / COUNTED_RUNS
  return { all: (after.audience - before.audience) / COUNTED_RUNS + dbos, dbos }
}

async function countRows(): Promise<{ audience: number; dbos: number }> {
  const tables = await sqlRows(
    database.url,
    `SELECT table_schema AS schema, table_name AS name FROM information_schema.tables
     WHERE table_schema IN ('audience', 'dbos') AND table_type = 'BASE TABLE'`,
  )
  const counts = { audience: 0, dbos: 0 }
  for (const { schema, name } of tables) {
    const [row] = await sqlRows(database.url, `SELECT count(*) AS rows FROM "${schema}"."${name}"`)
    counts[schema as 'audience' | 'dbos'] += Number(row?.rows)
  }
  return counts
}

/** The heap of a worker whose runs all wait forever, and the transactions of the database. */
async function atRest(runs: number): Promise<{ heapBytes: number; transactions: number }> {
  const document = pipeline([step('a')])
  for (let run = engine.load().waits; run < runs; run += 1)
    await engine.submit({ runId: `rest-${run}`, pipeline: document, folder: '.', inputs: {}, trigger: {} })
  while (engine.load().waits < runs) await sleep(100)
  while (engine.load().runs > 0) await sleep(100)
  await sleep(SETTLE_MS)
  collect()
  const heapBytes = process.memoryUsage().heapUsed
  const before = await transactions()
  await sleep(LOOK_MS)
  const perSecond = ((await transactions()) - before) / (LOOK_MS / 1000)
  return { heapBytes, transactions: perSecond }
}

/** The transactions so far, without those of this query. */
async function transactions(): Promise<number> {
  const [row] = await sqlRows(
    database.url,
    'SELECT xact_commit + xact_rollback AS done FROM pg_stat_database WHERE datname = current_database()',
  )
  return Number(row?.done)
}
