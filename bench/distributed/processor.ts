import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeMachine } from '../engine/describe-machine.ts'
import { forkSubject } from '../engine/fork-subject.ts'
import { median, spread } from '../engine/median.ts'
import { printTable } from '../engine/print-table.ts'

const RUNS = Number(process.argv[2] ?? 300)
const ROUNDS = 5
const AT_ONCE = 100
/** The unit in which the kernel counts processor time. */
const TICK_MS = 10

const folders: string[] = []
const subjects = [await open('audience on Postgres'), await open('DBOS')]
try {
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { measure, cpuMs, rates } of subjects) {
      const { cpu, rate } = await measure()
      cpuMs.push(cpu)
      rates.push(rate)
    }
  const [ours] = subjects
  const shown = (ratios: readonly number[] = []) => `${median(ratios).toFixed(2)} (${spread(ratios)})`
  printTable(
    ['engine', 'ms of processor a run, with PostgreSQL', 'this : ours', 'runs/s', 'ours : this'],
    subjects.map(({ name, cpuMs, rates }) => [
      name,
      median(cpuMs).toFixed(2),
      shown(ours?.cpuMs.map((cpu, round) => (cpuMs[round] ?? Number.NaN) / cpu)),
      median(rates).toFixed(0),
      shown(ours?.rates.map((rate, round) => rate / (rates[round] ?? Number.NaN))),
    ]),
  )
  console.log(`${RUNS} runs of 4 steps a round, ${AT_ONCE} at a time, ${ROUNDS} rounds in turn.`)
  console.log(describeMachine())
} finally {
  for (const { close } of subjects) await close()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}

/** An engine whose PostgreSQL has its data in its own folder. */
async function open(name: 'audience on Postgres' | 'DBOS') {
  const folder = mkdtempSync(join(tmpdir(), 'audience-bench-'))
  // PostgreSQL runs there as another user.
  chmodSync(folder, 0o755)
  folders.push(folder)
  const own = process.env.TMPDIR
  process.env.TMPDIR = folder
  const subject = await forkSubject(name, folder)
  if (own === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = own
  await subject.run(RUNS, AT_ONCE)
  return {
    name,
    cpuMs: [] as number[],
    rates: [] as number[],
    async measure() {
      const before = processorMs(subject.pid, folder)
      const ms = await subject.run(RUNS, AT_ONCE)
      return { cpu: (processorMs(subject.pid, folder) - before) / RUNS, rate: (RUNS * 1000) / ms }
    },
    close: subject.close,
  }
}

/** The time of a process, and of all processes of the PostgreSQL in the folder, including ended ones. */
function processorMs(pid: number | undefined, folder: string): number {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? processOf(Number(name)) : []))
  const server = all.find(({ command }) => command.includes('/postgres') && command.includes(folder))
  const ticks = all.map((one) => {
    if (one.pid === server?.pid) return one.ticks + one.ticksOfEnded
    return one.pid === pid || one.parent === server?.pid ? one.ticks : 0
  })
  return ticks.reduce((sum, some) => sum + some, 0) * TICK_MS
}

function processOf(pid: number) {
  try {
    const [command, stat] = [readFileSync(`/proc/${pid}/cmdline`, 'utf8'), readFileSync(`/proc/${pid}/stat`, 'utf8')]
    // The fields after the name, which may contain spaces: see proc(5).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const number = (place: number) => Number(fields[place])
    return [{ pid, command, parent: number(1), ticks: number(11) + number(12), ticksOfEnded: number(13) + number(14) }]
  } catch {
    // It has ended.
    return []
  }
}
