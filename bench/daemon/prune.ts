import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { openState } from '../../src/state/sqlite/open-state.ts'
import { describeMachine } from '../engine/describe-machine.ts'
import { quantile } from '../engine/median.ts'
import { printTable, verdict } from '../engine/print-table.ts'
import { withTempFolder } from '../support/temp-folder.ts'

/** `runs prune` for half of a state: how long it blocks other writers, and how long other commands wait meanwhile. */

const RUNS = Number(process.argv[2] ?? 200_000)
/** The quickstart writes this many records of this length. */
const RECORDS = 28
const RECORD = JSON.stringify({ type: 'step.progress', text: 'x'.repeat(205) })
const DAYS = 180
const DAY_MS = 86_400_000
/** A blocked command gives up after five seconds. */
const MOST_MS = 5000
/** A transaction of `runs prune`. */
const MOST_HELD_MS = 100
const recorder = resolve(import.meta.dirname, 'record-transactions.ts')
const main = resolve(import.meta.dirname, '../../dist/main.js')
const COMMANDS = {
  'runs list': ['runs', 'list'],
  status: ['status'],
  'run --detach': ['run', 'note.yaml', '--detach', '--profile', 'local'],
}

await withTempFolder(async (root) => {
  const state = join(root, 'state')
  mkdirSync(state)
  writeFileSync(join(root, 'note.yaml'), 'version: 1\nname: note\nsteps:\n  - id: groups\n    uses: groups.list\n')
  fill(state)
  const audience = (args: readonly string[]) => timed(args, root, state)
  const transactions = join(root, 'transactions.json')
  const recording = { NODE_OPTIONS: `--import=${recorder}`, TRANSACTIONS_FILE: transactions }
  const before = await measure(audience, 5)
  let isDone = false
  const pruned = timed(['runs', 'prune', '--older-than', `${DAYS / 2}d`], root, state, recording).finally(() => {
    isDone = true
  })
  const during = await measure(audience, Number.POSITIVE_INFINITY, () => isDone)
  const rows = Object.keys(COMMANDS).map((name) => {
    const [alone, beside] = [before, during].map((times) => Math.max(0, ...(times.get(name) ?? [])))
    return [name, `${alone?.toFixed(0)} ms`, `${beside?.toFixed(0)} ms`, verdict(Number(beside) < MOST_MS)]
  })
  printTable(['longest', 'alone', 'while runs are removed', `< ${MOST_MS} ms`], rows)
  console.log(`runs prune of half of ${RUNS} runs: ${((await pruned) / 1000).toFixed(1)} s`)
  reportTransactions(JSON.parse(readFileSync(transactions, 'utf8')))
  for (const args of [
    ['state', 'check'],
    ['state', 'compact'],
  ]) {
    console.log(`${args.join(' ')}: ${((await audience(args)) / 1000).toFixed(1)} s`)
  }
  console.log(describeMachine())
})

function reportTransactions(spans: Readonly<Record<'tookMs' | 'commitMs', readonly number[]>>): void {
  printTable(
    ['of a transaction of runs prune', 'number', 'p50', 'p99', 'longest', `over ${MOST_HELD_MS} ms`, 'none over'],
    [
      ['from BEGIN to the return of COMMIT', spans.tookMs],
      ['of that COMMIT', spans.commitMs],
    ].map(([what, ms]) => {
      const times = ms as readonly number[]
      const shown = [quantile(times, 0.5), quantile(times, 0.99), Math.max(...times)].map((x) => `${x.toFixed(1)} ms`)
      const over = times.filter((x) => x > MOST_HELD_MS).length
      return [String(what), `${times.length}`, ...shown, `${over}`, verdict(over === 0)]
    }),
  )
}

function fill(state: string): void {
  const db = openState(state)
  db.exec('PRAGMA synchronous = OFF; BEGIN')
  const run = db.prepare(
    `INSERT INTO runs (run_id, pipeline, status, submitted_at, finished_at) VALUES (?, ?, 'succeeded', ?, ?)`,
  )
  const record = db.prepare('INSERT INTO records (run_id, seq, at, data) VALUES (?, ?, ?, ?)')
  const now = Date.now()
  for (let n = 0; n < RUNS; n++) {
    const at = now - Math.floor(((RUNS - n) * DAYS * DAY_MS) / RUNS)
    const id = `run-${String(n).padStart(9, '0')}`
    run.run(id, `pipeline-${n % 7}`, at, at + 1000)
    for (let seq = 0; seq < RECORDS - 1; seq++) record.run(id, seq, at, RECORD)
    record.run(id, RECORDS - 1, at, JSON.stringify({ type: 'run.finished', status: 'succeeded', outputs: {} }))
  }
  db.exec('COMMIT')
  db.close()
}

async function measure(
  audience: (args: readonly string[]) => Promise<number>,
  rounds: number,
  isDone = () => false,
): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>()
  for (let round = 0; round < rounds && !isDone(); round++) {
    for (const [name, args] of Object.entries(COMMANDS)) {
      times.set(name, [...(times.get(name) ?? []), await audience(args)])
    }
  }
  return times
}

/** The duration of a command, in milliseconds. It must succeed. */
function timed(
  args: readonly string[],
  cwd: string,
  state: string,
  added: Readonly<Record<string, string>> = {},
): Promise<number> {
  const begin = performance.now()
  const env = { PATH: process.env.PATH, HOME: cwd, AUDIENCE_STATE: state, ...added }
  const child = spawn(process.execPath, [main, ...args], { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] })
  return new Promise((settle, reject) => {
    child.on('close', (code) => {
      if (code === 0) settle(performance.now() - begin)
      else reject(new Error(`audience ${args.join(' ')} ended with ${code}`))
    })
  })
}
