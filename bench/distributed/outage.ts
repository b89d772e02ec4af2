import { setTimeout as sleep } from 'node:timers/promises'
import { sqlRows } from '../../test/support/sql.ts'
import { crashPostgres } from '../../test/support/start-postgres.ts'
import { describeMachine } from '../engine/describe-machine.ts'
import { printTable, verdict } from '../engine/print-table.ts'
import { startDatabase } from './open-worker.ts'
import { countRuns, untilRuns } from './run-rows.ts'
import { startWorkerChild, type WorkerChild } from './start-worker-child.ts'

/** PostgreSQL ends as in a crash, and is unavailable while runs are active. */
const RUNS = 60
const STEPS = 4
const JOB_MS = 10_000
const WORKERS = 3
const AWAY_MS = Number(process.argv[2] ?? 20_000)
/** During this time, every run waits for one of its jobs. */
const LATEST_MS = JOB_MS * STEPS
const WITHIN_MS = 180_000

const { url, cluster, stop } = await startDatabase()
const workers: WorkerChild[] = []
try {
  for (let worker = 0; worker < WORKERS; worker += 1) workers.push(await startWorkerChild({ url, jobMs: JOB_MS }))
  await Promise.all(
    workers.map(({ child }, place) =>
      child.ask('submit', { from: (place * RUNS) / WORKERS, count: RUNS / WORKERS, steps: STEPS }),
    ),
  )
  await untilRuns(url, 'executor IS NOT NULL', { count: RUNS, withinMs: LATEST_MS })
  const underWay = await countRuns(url, 'executor IS NOT NULL AND finished_at IS NULL')
  const away = performance.now()
  await crashPostgres(cluster, AWAY_MS)
  const awayMs = performance.now() - away
  const succeeded = await untilRuns(url, `status = 'succeeded'`, { count: RUNS, withinMs: WITHIN_MS })
  await sleep(5000)
  const rows = await sqlRows(url, 'SELECT executor, pid FROM audience.workers WHERE expires_at > now()')
  const same = workers.filter(({ pid, executor }) =>
    rows.some((row) => Number(row.pid) === pid && row.executor === executor),
  )
  const takenOver = await countRuns(url, 'epoch <> 1')
  printTable(
    ['figure', 'measured', 'wanted', ''],
    [
      ['runs under way when it ended', String(underWay), '≥ 50', verdict(underWay >= 50)],
      ['… that succeeded', String(succeeded), String(RUNS), verdict(succeeded === RUNS)],
      [
        'workers that still live, with their lease',
        String(same.length),
        String(WORKERS),
        verdict(same.length === WORKERS),
      ],
      ['leases that others took over', String(WORKERS - same.length), '0', verdict(same.length === WORKERS)],
      ['runs that another process took up again', String(takenOver), '0', verdict(takenOver === 0)],
    ],
  )
  console.log(
    `PostgreSQL away for ${(awayMs / 1000).toFixed(1)} s; ${RUNS} runs of ${STEPS} steps that wait ${JOB_MS / 1000} s each, on ${WORKERS} workers.`,
  )
  console.log(describeMachine())
} finally {
  await Promise.all(workers.map(({ child }) => child.stop()))
  stop()
}
