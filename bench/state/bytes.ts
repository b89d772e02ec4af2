import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { RunRecord } from '../../src/core/run.ts'
import { runIdAt } from '../../src/core/run-id.ts'
import { compactState } from '../../src/state/sqlite/compact-state.ts'
import { openEmbeddedState } from '../../src/state/sqlite/open-embedded-state.ts'
import { around } from '../../test/support/around.ts'
import { describeMachine } from '../engine/describe-machine.ts'
import { printTable, verdict } from '../engine/print-table.ts'
import { withTempFolder } from '../support/temp-folder.ts'

/** How much a run of the quickstart adds to the state: its real records, written again and again. Usage: node bytes.ts [RUNS] */
const RUNS = Number(process.argv[2] ?? 5000)
const AT_A_TIME = 100
const MOST_BYTES = 4000
const main = resolve(import.meta.dirname, '../../dist/main.js')

await withTempFolder(async (folder) => {
  const audience = (...args: string[]) =>
    spawnSync(process.execPath, [main, ...args], { cwd: folder, encoding: 'utf8' })
  audience('init')
  const run = audience('run', 'pipelines/quickstart.yaml', '--json')
  if (run.status !== 0) throw new Error(run.stderr)
  const state = join(folder, '.audience')
  const file = join(state, 'runs.db')
  const first = await writeAgain(state, 1)
  await compactState(state, file, around)
  const empty = statSync(file).size
  await writeAgain(state, RUNS)
  const ended = (statSync(file).size - empty) / RUNS
  await compactState(state, file, around)
  const packed = (statSync(file).size - empty) / RUNS
  printTable(
    [`${RUNS} runs of the quickstart, ${first} records each`, 'bytes a run, with all indexes', `≤ ${MOST_BYTES}`],
    [
      ['as they end', ended.toFixed(0), ''],
      [
        'packed (each hour by audience start, at its end by audience run)',
        packed.toFixed(0),
        verdict(packed <= MOST_BYTES),
      ],
    ],
  )
  console.log(describeMachine())
})

/** Returns the number of records of a run. */
async function writeAgain(folder: string, copies: number): Promise<number> {
  const { journal, runs, close } = openEmbeddedState({ folder, redact: (text) => text, ...around })
  const newest = (await runs.page({ limit: 1 })).rows[0]
  const records = await runs.records(newest?.runId ?? '')
  const [submitted, ...rest] = records
  for (let written = 0; written < copies; written += AT_A_TIME) {
    const batch = Array.from({ length: Math.min(AT_A_TIME, copies - written) }, async () => {
      const runId = runIdAt(Date.now(), Math.random)
      const record = submitted?.record as Extract<RunRecord, { type: 'run.submitted' }>
      await journal.submit({ runId, at: Date.now(), record })
      await journal.append(runId, rest)
    })
    await Promise.all(batch)
  }
  await close()
  return records.length
}
