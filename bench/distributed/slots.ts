import { sql, sqlRows } from '../../test/support/sql.ts'
import { describeMachine } from '../engine/describe-machine.ts'
import { exactly, printTable } from '../engine/print-table.ts'
import { startChild } from '../support/child.ts'
import { startDatabase } from './open-worker.ts'
import { countRuns, untilRuns } from './run-rows.ts'

/** Several processes fire the same slots at the same moment; the runs of a group must run one after the other. */
const SLOTS = 60
const GROUPS = 10
const PROCESSES = 4
const WITHIN_MS = 180_000

const { url, stop } = await startDatabase()
const processes = Array.from({ length: PROCESSES }, () => startChild(new URL('slot-child.ts', import.meta.url)))
try {
  await sql(
    url,
    'CREATE TABLE inside (name text PRIMARY KEY)',
    'CREATE TABLE violations (run_id text)',
    'CREATE TABLE worked (pid int)',
  )
  await Promise.all(processes.map((child) => child.ask('open', { url })))
  const begin = performance.now()
  await Promise.all(processes.map((child, by) => child.ask('fire', { slots: SLOTS, groups: GROUPS, by })))
  const succeeded = await untilRuns(url, `status = 'succeeded'`, { count: SLOTS, withinMs: WITHIN_MS })
  const tookMs = performance.now() - begin
  const runs = await countRuns(url, 'true')
  const [ran] = await sqlRows(
    url,
    `SELECT count(*) AS slots, count(DISTINCT run_id) AS runs FROM audience.occurrences WHERE state = 'ran'`,
  )
  const [violations] = await sqlRows(url, 'SELECT count(*) AS count FROM violations')
  const hands = await countRuns(url, `epoch <> 1`)
  const workers = await sqlRows(url, 'SELECT count(*) AS runs FROM worked GROUP BY pid ORDER BY 1')
  printTable(
    ['figure', 'measured', 'wanted', ''],
    [
      exactly('slots that ran', Number(ran?.slots), SLOTS),
      exactly('runs', runs, SLOTS),
      exactly('… that succeeded', succeeded, SLOTS),
      exactly('runs that began beside another one of their group', Number(violations?.count), 0),
      exactly('runs that two processes took up', hands, 0),
      ['runs of each process', workers.map(({ runs }) => runs).join(', '), '', ''],
    ],
  )
  console.log(
    `${SLOTS} slots of ${GROUPS} groups, each fired by ${PROCESSES} processes; ${(tookMs / 1000).toFixed(1)} s.`,
  )
  console.log(describeMachine())
} finally {
  await Promise.all(processes.map((child) => child.stop()))
  stop()
}
