import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readConfig } from '../config/read-config.ts'
import { didYouMean } from '../core/did-you-mean.ts'
import { EXIT_CODES, usageError } from '../core/errors.ts'
import { count } from '../core/format/figures.ts'
import { triggerName } from '../core/occurrence.ts'
import { jsonLine, printable } from '../core/printable.ts'
import { isFile } from '../platform/is-file.ts'
import { madeUpEnv } from '../rehearsal/made-up-env.ts'
import { quickDisk } from '../rehearsal/quick-disk.ts'
import { compareSimulations } from '../rehearsal/simulation/compare-simulations.ts'
import { datesFrom } from '../rehearsal/simulation/plan-slots.ts'
import { type LiveProcess, simulate } from '../rehearsal/simulation/simulate.ts'
import { PROBLEM_KINDS, type ProblemKind, type Simulation } from '../rehearsal/simulation/simulation-schema.ts'
import { startWorldProcess } from '../rehearsal/world-process.ts'
import type { WorldService } from '../rehearsal/world-service.ts'
import { isDay } from '../triggers/schedule/days-off.ts'
import { projectsOf } from './simulated-projects.ts'
import { type Terminal, untilInterrupt } from './terminal.ts'
import { problemText } from './views/describe-simulation.ts'
import { renderSimulation } from './views/render-simulation.ts'
import { simulationMarkdown } from './views/simulation-markdown.ts'
import { tableView } from './views/table.ts'

export interface SimulateFlags {
  readonly from?: string
  readonly days: number
  readonly service: string
  readonly lists: 'changed' | 'same'
  readonly exact?: true
  readonly changedSince?: string
  readonly failOn?: string
  readonly format: 'table' | 'json' | 'markdown'
  readonly profile?: string
}

const MOST_DAYS = 366

/**
 * Simulates the schedules of documents and prints what they do. Returns 0, or 1 if there are problems that `--fail-on`
 * names.
 */
export async function simulatePipelines(
  paths: readonly string[],
  flags: SimulateFlags,
  terminal: Terminal,
): Promise<number> {
  const { out, err } = terminal
  const failOn = readFailOn(flags.failOn)
  const first = flags.from ?? new Date(terminal.surroundings.clock.now()).toISOString().slice(0, 10)
  if (!isDay(first)) throw usageError('bad-time', `--from "${first}" is not a day`, 'write it as 2026-10-20')
  if (flags.days < 1 || flags.days > MOST_DAYS)
    throw usageError('bad-days', `--days ${flags.days} is out of range`, `give from 1 to ${MOST_DAYS}`)
  const dates = datesFrom(first, flags.days)
  const service = serviceOf(flags.service, terminal)
  const root = realpathSync(dirname(readConfig({}, terminal.cwd)?.file ?? join(terminal.cwd, 'audience.yaml')))
  const scratch = mkdtempSync(join(quickDisk(), 'audience-simulate-'))
  using interrupted = untilInterrupt(terminal)
  // The processes load their programs while the documents are read and planned.
  const processes = Array.from(
    { length: flags.changedSince === undefined ? 1 : 2 },
    (): LiveProcess => startWorldProcess('simulation-worker', interrupted.signal),
  )
  try {
    const { now, base } = await projectsOf(paths, { root, scratch, flags, terminal })
    if (!now) return EXIT_CODES.invalid
    const all = [now, ...(base ? [base] : [])]
    if (err.isTTY && all.some(({ pipelines }) => pipelines.length > 0))
      err.write(`simulating ${count(now.pipelines.length, 'pipeline')} …\n`)
    const [simulation, before] = await simulate(all, {
      dates,
      service,
      scratch,
      lists: flags.lists,
      isExact: flags.exact === true,
      processes,
      profile: now.profile,
      env: madeUpEnv(all.flatMap(({ pipelines }) => pipelines)),
    })
    if (!simulation || interrupted.signal.aborted) return EXIT_CODES.interrupted
    const { changedSince } = flags
    const shown: Simulation =
      changedSince === undefined
        ? simulation
        : {
            ...simulation,
            changes: {
              since: changedSince,
              schedules: compareSimulations(before?.schedules ?? [], simulation.schedules),
            },
          }
    for (const line of render(shown, flags.format, terminal)) out.write(`${line}\n`)
    return failing(simulation, failOn, terminal)
  } catch (error) {
    if (interrupted.signal.aborted) return EXIT_CODES.interrupted
    throw error
  } finally {
    for (const one of processes) one.end()
    rmSync(scratch, { recursive: true, force: true })
  }
}

function serviceOf(service: string, { cwd }: Terminal): WorldService {
  if (service === 'realistic' || service === 'fast') return service
  const network = resolve(cwd, service)
  if (isFile(network)) return { network }
  throw usageError(
    'no-network',
    `--service ${service} is neither realistic, fast nor a file`,
    didYouMean(service, ['realistic', 'fast']) ?? 'give the path of a network.yaml',
  )
}

function readFailOn(text: string | undefined): readonly ProblemKind[] {
  if (text === undefined) return []
  return text.split(',').map((given) => {
    const name = given.trim()
    const kind = PROBLEM_KINDS.find((one) => one === name)
    if (kind) return kind
    throw usageError(
      'unknown-problem',
      `"${name}" is not a problem that --fail-on knows`,
      didYouMean(name, PROBLEM_KINDS) ?? `give one or more of ${PROBLEM_KINDS.join(', ')}, separated by commas`,
    )
  })
}

function render(simulation: Simulation, format: SimulateFlags['format'], { out }: Terminal): readonly string[] {
  switch (format) {
    case 'json':
      return [jsonLine(simulation)]
    case 'markdown':
      return simulationMarkdown(simulation)
    case 'table':
      return renderSimulation(simulation, tableView(out))
  }
}

/** Reports on standard error which of these problems occurred, because a program may be reading the output. */
function failing({ problems }: Simulation, failOn: readonly ProblemKind[], { err }: Terminal): number {
  const found = problems.filter(({ kind }) => failOn.includes(kind))
  for (const one of found) err.write(`${printable(`${one.kind}: ${triggerName(one)}, ${problemText(one)}`)}\n`)
  return found.length > 0 ? EXIT_CODES.failed : 0
}
