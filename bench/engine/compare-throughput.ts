import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeMachine } from './describe-machine.ts'
import { type ForkedSubject, forkSubject } from './fork-subject.ts'
import { median, spread } from './median.ts'
import { printTable, verdict } from './print-table.ts'
import type { SubjectName } from './subject.ts'

const RUNS = 2000
const ROUNDS = Number(process.argv[2] ?? 5)
const WARM_UP_RUNS = 200
const SEQUENTIAL_RUNS = 50
/** Each engine gets the value with which it has just been fastest on this machine. */
const CONCURRENCIES = [20, 50, 100, 200, 400]

interface Comparison {
  readonly ours: SubjectName
  readonly peers: readonly SubjectName[]
  /** More subjects, which are shown but not compared. */
  readonly others?: readonly SubjectName[]
  /** How many times faster than a peer ours must be; absent for peers that are only shown. */
  readonly wanted: (peer: SubjectName, isFastest: boolean) => number | undefined
  readonly note: string
}

interface Measured {
  readonly subject: ForkedSubject
  readonly concurrency: number
  readonly rates: number[]
  readonly stepMs: number[]
}

/** Runs subjects in turn, each in its own process, and prints their rates beside ours. */
export async function compareThroughput(comparison: Comparison): Promise<void> {
  const { ours, peers, others = [] } = comparison
  const root = mkdtempSync(join(tmpdir(), 'audience-bench-'))
  const all: Measured[] = []
  try {
    for (const name of [ours, ...others, ...peers]) {
      const folder = join(root, name)
      mkdirSync(folder)
      const subject = await forkSubject(name, folder)
      const measured = { subject, concurrency: 1, rates: [], stepMs: [] }
      all.push(measured)
      all[all.length - 1] = { ...measured, concurrency: await bestConcurrency(subject) }
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const { subject, concurrency, rates, stepMs } of all) {
        rates.push((RUNS * 1000) / (await subject.run(RUNS, concurrency)))
        stepMs.push(median(await subject.stepMs(SEQUENTIAL_RUNS)))
        console.error(
          `round ${round + 1} ${subject.name}: ${rates.at(-1)?.toFixed(0)} runs/s, ${stepMs.at(-1)?.toFixed(3)} ms a step`,
        )
      }
    }
    report(all, comparison)
  } finally {
    for (const { subject } of all) await subject.close()
    rmSync(root, { recursive: true, force: true })
  }
}

async function bestConcurrency(subject: ForkedSubject): Promise<number> {
  await subject.run(WARM_UP_RUNS, CONCURRENCIES[0] ?? 1)
  let best = { concurrency: 1, ms: Number.POSITIVE_INFINITY }
  // Twice, so that a busy moment of the machine does not decide.
  for (const concurrency of [...CONCURRENCIES, ...CONCURRENCIES]) {
    const ms = await subject.run(RUNS / 2, concurrency)
    if (ms < best.ms) best = { concurrency, ms }
  }
  return best.concurrency
}

function report(all: readonly Measured[], comparison: Comparison): void {
  const [ours] = all
  if (!ours) return
  const peers = all.filter(({ subject }) => comparison.peers.includes(subject.name))
  const fastest = peers.toSorted((a, b) => median(b.rates) - median(a.rates))[0]
  const rows = all.map(({ subject, concurrency, rates, stepMs }) => {
    const ratios = ours.rates.map((rate, round) => rate / (rates[round] ?? Number.NaN))
    const stepRatios = stepMs.map((ms, round) => ms / (ours.stepMs[round] ?? Number.NaN))
    const isPeer = comparison.peers.includes(subject.name)
    const wanted = isPeer ? comparison.wanted(subject.name, subject === fastest?.subject) : undefined
    return [
      subject.name,
      String(concurrency),
      median(rates).toFixed(0),
      isPeer ? `${median(ratios).toFixed(2)} (${spread(ratios)})` : '',
      wanted === undefined ? '' : `${verdict(median(ratios) >= wanted)} (≥ ${wanted})`,
      median(stepMs).toFixed(3),
      isPeer ? `${median(stepRatios).toFixed(2)} (${spread(stepRatios)})` : '',
    ]
  })
  printTable(
    ['engine', 'at a time', 'runs/s', 'ours : this', 'wanted', 'ms a step, one run at a time', 'this : ours'],
    rows,
  )
  console.log(
    `${RUNS} runs of 4 steps a round, ${ROUNDS} rounds in turn, medians of rounds and of ratios within a round. ${comparison.note}`,
  )
  console.log(describeMachine())
}
