import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeMachine } from '../engine/describe-machine.ts'
import { median } from '../engine/median.ts'
import { printTable, verdict } from '../engine/print-table.ts'
import { type BenchConsole, withBenchConsole } from './bench-console.ts'

/**
 * Each GET of the console's API with many runs, and the load of 20 readers on the daemon. Usage: node reads.ts [RUNS]
 * [READERS]
 */
const RUNS = Number(process.argv[2] ?? 100_000)
const READERS = Number(process.argv[3] ?? 20)
const TIMES = 21
const FOR_MS = 10_000
const LONGEST_READ_MS = 50
const LONGEST_DELAY_MS = 30
const DAY_MS = 86_400_000

const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()

const NOTHING = 'runs?q=nothing-is-called-so'

/** The requests of the pages, and the requests that need the most work. */
function readsOf({ runs }: BenchConsole): Readonly<Record<string, string>> {
  return {
    overview: 'overview',
    me: 'me',
    'runs, newest 50': 'runs',
    'runs that failed': 'runs?status=failed',
    'runs of one pipeline that failed': 'runs?pipeline=pipeline-7&status=failed',
    'runs, a search that finds some': 'runs?q=pipeline-7',
    'runs, a search that finds nothing': NOTHING,
    'runs of a day, half a year ago': `runs?from=${ago(180)}&to=${ago(179)}`,
    'runs, page 1,001': `runs?cursor=${Date.now() - 180 * DAY_MS}_x`,
    'a run that waits': `runs/${runs.waiting}`,
    'a run with a forEach of 2,000': `runs/${runs.many}`,
    'its steps': `runs/${runs.many}/steps`,
    'its items, the last 100': `runs/${runs.many}/steps?step=look&offset=1900`,
    'its document': `runs/${runs.many}/document`,
    'its events, the first 500': `runs/${runs.many}/logs`,
    'two runs compared': `runs/${runs.many}/compare/${runs.waiting}`,
    'hours of 14 days': `hours?from=${ago(14)}&to=${ago(0)}`,
    'hours of a year': `hours?from=${ago(365)}&to=${ago(0)}`,
    pipelines: 'pipelines',
    'a pipeline': 'pipelines/pipeline-7',
    'figures of 60 runs': 'pipelines/pipeline-7/figures',
    'figures of 400 runs': 'pipelines/pipeline-7/figures?limit=400',
    slots: 'slots',
    'slots of a month': `slots?from=${ago(31)}&limit=1000`,
    files: 'files',
    'audit log, newest 100': 'audit',
    'audit log of one person': 'audit?by=person-7',
    'audit log of nobody': 'audit?by=nobody',
    workers: 'workers',
    'openapi.json': 'openapi.json',
  }
}

/** In the folder of the daemon. */
const LOOP_DELAY_FILE = 'loop-delay.json'
const nodeArgs = ['--import', resolve(import.meta.dirname, 'record-loop-delay.ts')]
await withBenchConsole({ history: RUNS, nodeArgs, env: { LOOP_DELAY_FILE } }, async (console) => {
  const reads = readsOf(console)
  const rows: string[][] = []
  for (const [name, path] of Object.entries(reads)) {
    const { ms, cells } = await timesOf(console, async () => (await console.get(path)).length)
    rows.push([name, ...cells, verdict(ms <= LONGEST_READ_MS)])
  }
  const whole = await timesOf(console, () => searchToTheEnd(console))
  rows.push(['… with the pages after it, to its end', ...whole.cells, ''])
  printTable(
    [`GET at ${RUNS.toLocaleString('en')} runs`, 'median', 'processor', 'size', `≤ ${LONGEST_READ_MS} ms`],
    rows,
  )
  const { p50, p99, longest, answers } = await withReaders(console, Object.values(reads))
  printTable(
    [`loop of the daemon with ${READERS} readers`, 'p50', 'p99', 'longest', `p99 ≤ ${LONGEST_DELAY_MS} ms`],
    [
      [
        `${(answers / (FOR_MS / 1000)).toFixed(0)} answers a second`,
        `${p50.toFixed(1)} ms`,
        `${p99.toFixed(1)} ms`,
        `${longest.toFixed(1)} ms`,
        verdict(p99 <= LONGEST_DELAY_MS),
      ],
    ],
  )
})
process.stdout.write(`${describeMachine()}\n`)

/** The median duration of a read, and its duration, processor time and bytes as table cells. */
async function timesOf({ daemon }: BenchConsole, read: () => Promise<number>) {
  const times: number[] = []
  const before = daemon().usage().cpuMs
  let bytes = 0
  for (let n = 0; n < TIMES; n++) {
    const begun = performance.now()
    bytes = await read()
    times.push(performance.now() - begun)
  }
  const cpuMs = (daemon().usage().cpuMs - before) / TIMES
  const ms = median(times)
  return { ms, cells: [`${ms.toFixed(1)} ms`, `${cpuMs.toFixed(1)} ms`, `${(bytes / 1000).toFixed(1)} kB`] }
}

/** A search that finds nothing, page by page; returns its bytes. */
async function searchToTheEnd({ get }: BenchConsole): Promise<number> {
  let bytes = 0
  let cursor = ''
  do {
    const text = await get(`${NOTHING}${cursor}`)
    bytes += text.length
    const { next } = JSON.parse(text) as { readonly next?: string }
    cursor = next === undefined ? '' : `&cursor=${next}`
  } while (cursor !== '')
  return bytes
}

/** Readers that request everything in turn, each as soon as it has the previous answer. */
async function withReaders({ root, daemon, get }: BenchConsole, paths: readonly string[]) {
  const file = join(root, LOOP_DELAY_FILE)
  const until = performance.now() + FOR_MS
  let answers = 0
  const reader = async (first: number) => {
    for (let n = first; performance.now() < until; n++, answers++) await get(paths[n % paths.length] ?? '')
  }
  process.kill(daemon().pid, 'SIGUSR2')
  await Promise.all(Array.from({ length: READERS }, (_, n) => reader(n)))
  process.kill(daemon().pid, 'SIGUSR2')
  while (!existsSync(file)) await sleep(50)
  await sleep(200)
  const delay = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<'p50' | 'p99' | 'longest', number>>
  return { ...delay, answers }
}
