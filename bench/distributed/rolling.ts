import { describeMachine } from '../engine/describe-machine.ts'
import { exactly, printTable } from '../engine/print-table.ts'
import { startDatabase } from './open-worker.ts'
import { countRuns, untilRuns } from './run-rows.ts'
import { startWorkerChild, type WorkerChild } from './start-worker-child.ts'

/**
 * A rolling upgrade: the workers with an older protocol leave one by one, and those with a newer one take their runs.
 */
const OLD_RUNS = 10
const NEW_RUNS = 20
const EACH = 2
const WITHIN_MS = 120_000
const HELD_BY = (protocol: number) => `finished_at IS NULL AND protocol = '${protocol}'`

const { url, stop } = await startDatabase()
const workers: WorkerChild[] = []
try {
  const open = (protocol: number) => startWorkerChild({ url, jobMs: 0, held: true, protocol })
  const start = async (protocol: number) => {
    const opened = await Promise.all(Array.from({ length: EACH }, () => open(protocol)))
    workers.push(...opened)
    return opened
  }
  const old = await start(1)
  await old[0]?.child.ask('submit', { from: 0, count: OLD_RUNS })
  await untilRuns(url, HELD_BY(1), { count: OLD_RUNS, withinMs: WITHIN_MS })
  const newer = await start(2)
  await newer[0]?.child.ask('submit', { from: OLD_RUNS, count: NEW_RUNS })
  await untilRuns(url, HELD_BY(2), { count: NEW_RUNS, withinMs: WITHIN_MS })

  await old[0]?.child.stop()
  const withLastOld = await untilRuns(url, HELD_BY(1), { count: OLD_RUNS, withinMs: WITHIN_MS })
  const mixed = await countRuns(url, `run_id < 'run-000000010' AND protocol = '2'`)
  const left = performance.now()
  await old[1]?.child.stop()
  const all = OLD_RUNS + NEW_RUNS
  const withNew = await untilRuns(url, HELD_BY(2), { count: all, withinMs: WITHIN_MS })
  const tookMs = performance.now() - left
  await Promise.all(newer.map(({ child }) => child.ask('release')))
  const succeeded = await untilRuns(url, `status = 'succeeded'`, { count: all, withinMs: WITHIN_MS })
  printTable(
    ['figure', 'measured', 'wanted', ''],
    [
      exactly('runs that the last old worker has, after the other old one left', withLastOld, OLD_RUNS),
      exactly('… of them that a new worker took too early', mixed, 0),
      exactly('runs that new workers have, after the last old one left', withNew, all),
      ['… s until they had', (tookMs / 1000).toFixed(1), '', ''],
      exactly('runs that succeeded', succeeded, all),
      exactly('stuck', all - succeeded, 0),
    ],
  )
  console.log(
    `${OLD_RUNS} runs of ${EACH} workers of protocol 1, ${NEW_RUNS} of ${EACH} of protocol 2; each told to end.`,
  )
  console.log(describeMachine())
} finally {
  await Promise.all(workers.map(({ child }) => child.stop()))
  stop()
}
