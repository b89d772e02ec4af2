import { setTimeout as sleep } from 'node:timers/promises'
import { sqlRows } from '../../test/support/sql.ts'
import { describeMachine } from '../engine/describe-machine.ts'
import { printTable } from '../engine/print-table.ts'
import { startChild } from '../support/child.ts'
import { startDatabase } from './open-worker.ts'

/** How throughput grows with the number of workers when runs mostly wait: each run waits for a job of 2 s. */
const JOB_MS = 2000
const RUNS = Number(process.argv[2] ?? 5000)
const WORKERS = [1, 2, 4, 8]

const rows: string[][] = []
let first = 0
for (const count of WORKERS) {
  const database = await startDatabase()
  const workers = Array.from({ length: count }, () => startChild(new URL('worker-child.ts', import.meta.url)))
  try {
    await Promise.all(workers.map((worker) => worker.ask('open', { url: database.url, jobMs: JOB_MS })))
    const share = Math.ceil(RUNS / count)
    const begin = performance.now()
    await Promise.all(workers.map((worker, place) => worker.ask('submit', { from: place * share, count: share })))
    const submitted = performance.now()
    while ((await ended(database.url)) < share * count) await sleep(100)
    const rate = (share * count * 1000) / (performance.now() - begin)
    first ||= rate
    rows.push([
      String(count),
      String(share * count),
      ((submitted - begin) / 1000).toFixed(1),
      rate.toFixed(0),
      (rate / first).toFixed(2),
    ])
    console.error(`${count} workers: ${rate.toFixed(0)} runs/s`)
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()))
    database.stop()
  }
}
printTable(['workers', 'runs', 's to submit', 'runs/s', 'of one worker'], rows)
console.log(
  `Each run has one step that waits ${JOB_MS / 1000} s; each worker works on at most 100 runs that do not rest.`,
)
console.log(describeMachine())

async function ended(url: string): Promise<number> {
  const [row] = await sqlRows(url, 'SELECT count(*) AS runs FROM audience.runs WHERE finished_at IS NOT NULL')
  return Number(row?.runs)
}
