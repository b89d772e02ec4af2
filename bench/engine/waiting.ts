import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bundle } from './bundle.ts'
import { describeMachine } from './describe-machine.ts'
import { quantile } from './median.ts'
import { printTable, verdict } from './print-table.ts'
import { type JobServer, startJobServer } from './waiting/job-server.ts'

const RUNS = Number(process.argv[2] ?? 10_000)
/** How many times faster than real time: applies to durations, delays and the budget of polls. */
const COMPRESSION = Number(process.argv[3] ?? 20)
const SHORTEST_JOB_MS = (30 * 60_000) / COMPRESSION
const LONGEST_JOB_MS = (90 * 60_000) / COMPRESSION
const IN_LIFE: Polls = { perSecond: 50, ceilingMs: 30_000 }
const COMPRESSED: Polls = { perSecond: 50 * COMPRESSION, ceilingMs: 30_000 / COMPRESSION }
const MOST_MEMORY_MB = 200
const MOST_TAKE_OVER_MS = 2000
const NEVER_MS = 1e9
/** Gives the process time to collect the garbage of the submissions. */
const SETTLE_MS = 20_000

interface Polls {
  readonly perSecond: number
  readonly ceilingMs: number
}

const runner = await bundle(join(import.meta.dirname, 'waiting', 'runner.ts'))
const root = mkdtempSync(join(tmpdir(), 'audience-bench-'))
try {
  const memory = await takeOver(join(root, 'killed'))
  const lateness = await waitAll(join(root, 'waiting'))
  report({ ...memory, ...lateness })
} finally {
  rmSync(root, { recursive: true, force: true })
}

/** Lets runs wait for jobs that do not end, kills their process, and lets another one resume them; all in real time. */
async function takeOver(state: string) {
  const server = await startJobServer(() => NEVER_MS)
  const first = start({ state, server, polls: IN_LIFE, mode: 'submit' })
  await first.allWait()
  await sleep(SETTLE_MS)
  const waitingMb = first.memoryMb()
  const submittedPeakMb = first.peakMb()
  first.child.kill('SIGKILL')
  const begin = performance.now()
  const second = start({ state, server, polls: IN_LIFE, mode: 'take-up' })
  await second.told('open')
  const open = performance.now()
  await second.told('begun')
  const end = performance.now()
  if (server.jobs.length !== RUNS) throw new Error(`${server.jobs.length} segments were created for ${RUNS} runs`)
  await sleep(SETTLE_MS)
  const takenMb = second.memoryMb()
  const takenPeakMb = second.peakMb()
  second.child.kill('SIGKILL')
  server.close()
  return { waitingMb, submittedPeakMb, takenMb, takenPeakMb, takeOverMs: end - open, fromStartMs: end - begin }
}

/** Lets runs wait for jobs, in compressed time, until the end of the last job is noticed. */
async function waitAll(state: string) {
  const server = await startJobServer(() => SHORTEST_JOB_MS + Math.random() * (LONGEST_JOB_MS - SHORTEST_JOB_MS))
  const begin = performance.now()
  const waiting = start({ state, server, polls: COMPRESSED, mode: 'submit' })
  await waiting.allWait()
  const from = performance.now()
  const requestsBefore = server.requests()
  await sleep(Math.max(1000, SHORTEST_JOB_MS - (from - begin)))
  const perMinute = ((server.requests() - requestsBefore) * 60_000) / (performance.now() - from)
  await until(() => server.seen() === RUNS)
  waiting.child.kill('SIGKILL')
  server.close()
  const shares = server.jobs.map(({ seenAt = 0, endsAt, durationMs }) => (seenAt - endsAt) / durationMs)
  return { submitMs: from - begin, perMinute, shares }
}

function start(options: { state: string; server: JobServer; polls: Polls; mode: 'submit' | 'take-up' }) {
  const { state, server, polls, mode } = options
  const args = [state, server.url, String(polls.perSecond), String(polls.ceilingMs), mode, String(RUNS)]
  // The parent's flags are not meant for the child.
  const child = fork(runner, args, { execArgv: [] })
  const status = (field: string) => {
    const line = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      .split('\n')
      .find((each) => each.startsWith(field))
    return Number(/\d+/.exec(line ?? '')?.[0]) / 1024
  }
  const allWait = async () => {
    while (server.jobs.length < RUNS) {
      if (!child.connected) throw new Error(`the runner ended after ${server.jobs.length} jobs`)
      child.send(server.jobs.length)
      await sleep(10)
    }
  }
  const memory = { memoryMb: () => status('VmRSS'), peakMb: () => status('VmHWM') }
  return { child, allWait, told: (word: string) => told(child, word), ...memory }
}

function told(child: ChildProcess, word: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on('message', (message) => message === word && resolve())
    child.once('exit', (code, signal) => reject(new Error(`the runner ended with ${code ?? signal}`)))
  })
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(10)
}

function report(found: Awaited<ReturnType<typeof takeOver>> & Awaited<ReturnType<typeof waitAll>>): void {
  const mb = (value: number) => `${value.toFixed(0)} MB`
  const percent = (part: number) => `${(100 * quantile(found.shares, part)).toFixed(1)} %`
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`
  printTable(
    ['figure', 'measured', 'wanted', ''],
    [
      [
        `resident memory, ${RUNS} runs waiting`,
        mb(found.waitingMb),
        `< ${MOST_MEMORY_MB} MB`,
        verdict(found.waitingMb < MOST_MEMORY_MB),
      ],
      ['… its peak while they were submitted', mb(found.submittedPeakMb), '', ''],
      [
        '… after they were taken over',
        mb(found.takenMb),
        `< ${MOST_MEMORY_MB} MB`,
        verdict(found.takenMb < MOST_MEMORY_MB),
      ],
      ['… its peak while they were taken over', mb(found.takenPeakMb), '', ''],
      [
        'all taken over after SIGKILL, from the open state on',
        seconds(found.takeOverMs),
        `< ${seconds(MOST_TAKE_OVER_MS)}`,
        verdict(found.takeOverMs < MOST_TAKE_OVER_MS),
      ],
      ['… from the start of the process on', seconds(found.fromStartMs), '', ''],
      [`requests a minute, in life (÷ ${COMPRESSION})`, (found.perMinute / COMPRESSION).toFixed(0), 'budget 3000', ''],
      ['lateness, share of the job’s duration, p50', percent(0.5), '', ''],
      ['lateness, share of the job’s duration, p99', percent(0.99), '', ''],
      ['submitted, segments created', seconds(found.submitMs), '', ''],
    ],
  )
  console.log(
    `Jobs of 30 to 90 minutes, compressed ${COMPRESSION} times: ${SHORTEST_JOB_MS / 1000} to ${LONGEST_JOB_MS / 1000} s, a delay of at most ${COMPRESSED.ceilingMs / 1000} s between polls, ${COMPRESSED.perSecond} polls a second in all; memory and taking over at the speed of life (30 s, 50 a second). Step type segments.create through the whole runner.`,
  )
  console.log(describeMachine())
}
