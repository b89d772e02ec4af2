import { closeSync, openSync, readdirSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { NORMALISATION } from '../../src/lists/list-request.ts'
import { type NewList, openMembership } from '../../src/membership/membership.ts'
import type { RunRow } from '../../src/state/run-history.ts'
import { describeMachine } from '../engine/describe-machine.ts'
import { printTable, verdict } from '../engine/print-table.ts'
import { memoryWatch } from '../support/memory.ts'
import { median } from '../support/stats.ts'
import { withTempFolder } from '../support/temp-folder.ts'

/**
 * Two lists of 5 million people, compared by fingerprints and by a full join of the people themselves. Usage: node
 * membership.ts [ROWS [ROUNDS]]
 */
const ROWS = Number(process.argv[2] ?? 5_000_000)
const ROUNDS = Number(process.argv[3] ?? 3)
const MOST_BYTES = 9
const MOST_SECONDS = 10
const signal = new AbortController().signal

await withTempFolder(async (folder) => {
  const old = writeList(join(folder, 'old.csv'), 0)
  const now = writeList(join(folder, 'now.csv'), Math.floor(ROWS / 50))
  const expected = await fullJoin(old.file, now.file)
  const seconds: number[] = []
  const processor: number[] = []
  const pauses: number[] = []
  const memory = memoryWatch()
  memory.begin()
  let exact = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const membership = join(folder, `membership${round}`)
    await open(membership, []).record({ ...old, runId: 'r1' }, signal)
    const longest = watchLoop()
    const began = performance.now()
    const used = process.cpuUsage()
    const changes = await open(membership, [row('r1')]).record({ ...now, runId: 'r2' }, signal)
    seconds.push((performance.now() - began) / 1000)
    const { user, system } = process.cpuUsage(used)
    processor.push((user + system) / 1e6)
    pauses.push(longest())
    if (JSON.stringify(changes) === JSON.stringify(expected)) exact += 1
  }
  const growth = memory.growth() / 1e6
  const bytes = sizeOf(join(folder, 'membership0/runs/r2')) / ROWS
  printTable(
    [`${ROWS} people, ${ROUNDS} rounds`, 'measured', 'limit'],
    [
      ['bytes a person', bytes.toFixed(4), `≤ ${MOST_BYTES}: ${verdict(bytes <= MOST_BYTES)}`],
      [`rounds with the figures of the full join, ${JSON.stringify(expected)}`, `${exact}`, verdict(exact === ROUNDS)],
      [
        'fingerprints of a list, compared and stored, s',
        `${median(seconds).toFixed(2)} (${seconds.map((one) => one.toFixed(2)).join(', ')})`,
        `≤ ${MOST_SECONDS}: ${verdict(median(seconds) <= MOST_SECONDS)}`,
      ],
      ['… of it processor time, s', processor.map((one) => one.toFixed(2)).join(', '), ''],
      ['longest time without a turn of the event loop, ms', Math.max(...pauses).toFixed(0), ''],
      ['growth of resident memory, MB', growth.toFixed(0), ''],
    ],
  )
  console.log(describeMachine())
})

/** A list of people whose numbers begin here. */
function writeList(file: string, from: number): NewList {
  const handle = openSync(file, 'w')
  writeSync(handle, 'email\n')
  const AT_A_TIME = 10_000
  for (let at = 0; at < ROWS; at += AT_A_TIME) {
    const count = Math.min(AT_A_TIME, ROWS - at)
    writeSync(handle, Array.from({ length: count }, (_, i) => `person.${from + at + i}@example.com\n`).join(''))
  }
  closeSync(handle)
  return {
    pipeline: 'nightly',
    stepKey: 'list',
    file,
    keys: ROWS,
    form: { signal: 'EMAIL', hash: 'none' },
    normalisation: NORMALISATION,
  }
}

async function fullJoin(old: string, now: string) {
  const instance = await DuckDBInstance.create()
  const connection = await instance.connect()
  const rows = await connection.runAndReadAll(`SELECT count(*) FILTER (a.email IS NULL) AS added,
    count(*) FILTER (b.email IS NULL) AS removed, count(*) FILTER (a.email = b.email) AS kept
    FROM read_csv('${old}') AS a FULL JOIN read_csv('${now}') AS b USING (email)`)
  const [found = {}] = rows.getRowObjects()
  connection.closeSync()
  instance.closeSync()
  return { added: Number(found.added), removed: Number(found.removed), kept: Number(found.kept) }
}

function open(folder: string, succeeded: readonly RunRow[]) {
  return openMembership({
    folder,
    rule: { kind: 'fingerprints', keepMs: Number.MAX_SAFE_INTEGER },
    runs: {
      page: async () => ({ rows: succeeded }),
      records: async () => [],
      lastSuccess: async () => succeeded[0],
    },
    here: { profile: 'bench' },
    clock: Date,
  })
}

function row(runId: string): RunRow {
  const times = { submittedAt: 1, finishedAt: 2 }
  return {
    runId,
    pipeline: 'nightly',
    profile: 'bench',
    status: 'succeeded',
    ...times,
    triggerKind: '',
    triggerLabel: '',
  }
}

/** Returns the longest pause of the event loop so far, in milliseconds. */
function watchLoop(): () => number {
  let last = performance.now()
  let longest = 0
  const look = () => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
  }
  const timer = setInterval(look, 1)
  return () => {
    clearInterval(timer)
    return longest
  }
}

function sizeOf(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
}
