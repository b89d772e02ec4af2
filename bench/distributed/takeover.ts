import { setTimeout as sleep } from 'node:timers/promises'
import { sqlRows } from '../../test/support/sql.ts'
import { describeMachine } from '../engine/describe-machine.ts'
import { quantile } from '../engine/median.ts'
import { printTable, verdict } from '../engine/print-table.ts'
import { startDatabase } from './open-worker.ts'
import { startWorkerChild, type WorkerChild } from './start-worker-child.ts'

/** How long the runs of a killed worker have no owner. */
const KILLS = Number(process.argv[2] ?? 12)
const RUNS = 300
const WORKERS = 3
const BETWEEN_MS = 10_000
const NEVER_MS = 2 ** 31 - 1
const MOST_P50_MS = 4000
const MOST_MS = 9000

const database = await startDatabase()
const workers: WorkerChild[] = []
const open = () => startWorkerChild({ url: database.url, jobMs: NEVER_MS })
try {
  for (let worker = 0; worker < WORKERS; worker += 1) workers.push(await open())
  await workers[0]?.child.ask('submit', { from: 0, count: RUNS })
  await sleep(5000)
  const times: number[] = []
  for (let kill = 0; kill < KILLS; kill += 1) {
    const place = kill % WORKERS
    const worker = workers[place]
    if (!worker) throw new Error(`there is no worker ${place}`)
    const { pid, executor } = worker
    const before = await runsOf(executor)
    process.kill(pid, 'SIGKILL')
    const killed = performance.now()
    const left = new Set(before)
    while (left.size > 0) {
      await sleep(50)
      const still = new Set(await runsOf(executor))
      for (const runId of left) {
        if (still.has(runId)) continue
        left.delete(runId)
        times.push(performance.now() - killed)
      }
    }
    console.error(`kill ${kill + 1}: ${before.length} runs, all taken over after ${times.at(-1)?.toFixed(0)} ms`)
    workers[place] = await open()
    await sleep(Math.max(0, BETWEEN_MS - (performance.now() - killed)))
  }
  const [p50, longest] = [quantile(times, 0.5), Math.max(...times)]
  printTable(
    ['figure', 'measured', 'wanted', ''],
    [
      [
        'a run taken over after SIGKILL, p50',
        `${p50.toFixed(0)} ms`,
        `≤ ${MOST_P50_MS} ms`,
        verdict(p50 <= MOST_P50_MS),
      ],
      ['… longest', `${longest.toFixed(0)} ms`, `≤ ${MOST_MS} ms`, verdict(longest <= MOST_MS)],
    ],
  )
  console.log(
    `${times.length} runs in ${KILLS} kills, at least ${BETWEEN_MS / 1000} s apart; ${RUNS} runs that wait, on ${WORKERS} workers.`,
  )
  console.log(describeMachine())
} finally {
  await Promise.all(workers.map(({ child }) => child.stop()))
  database.stop()
}

async function runsOf(executor: string): Promise<string[]> {
  const rows = await sqlRows(
    database.url,
    'SELECT run_id FROM audience.runs WHERE executor = $1 AND finished_at IS NULL',
    executor,
  )
  return rows.map((row) => String(row.run_id))
}
