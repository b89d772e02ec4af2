import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { documentSettings } from '../config/load-settings.ts'
import { readConfig } from '../config/read-config.ts'
import { didYouMean } from '../core/did-you-mean.ts'
import { AudienceError, EXIT_CODES, InvalidDocumentError } from '../core/errors.ts'
import { count } from '../core/format/figures.ts'
import type { Pipeline } from '../core/pipeline.ts'
import { printable, printableJson } from '../core/printable.ts'
import { documentAt } from '../daemon/documents/document-at.ts'
import { findDocuments } from '../daemon/documents/find-documents.ts'
import { isDocumentName } from '../daemon/documents/find-pipeline-files.ts'
import { loadPipeline } from '../pipeline/load-pipeline.ts'
import { baseSince } from '../platform/git-changes.ts'
import { isBelow } from '../platform/is-below.ts'
import { isFile } from '../platform/is-file.ts'
import { documentPolicy } from '../policy/document-policy.ts'
import { fileCheck } from '../policy/enforce.ts'
import { quickDisk } from '../rehearsal/quick-disk.ts'
import { type BaseProject, writeBase } from '../rehearsal/simulation/base-project.ts'
import { compareSimulations } from '../rehearsal/simulation/compare-simulations.ts'
import type { LivedService } from '../rehearsal/simulation/live-order.ts'
import { datesFrom } from '../rehearsal/simulation/plan-slots.ts'
import { type SimulatedProject, simulate } from '../rehearsal/simulation/simulate.ts'
import { PROBLEMS, type ProblemKind, type Simulation } from '../rehearsal/simulation/simulation-schema.ts'
import { stepTypes } from '../steps/index.ts'
import { isDay } from '../triggers/schedule/days-off.ts'
import { changedDocuments } from './changed-documents.ts'
import { readDocument } from './read-document.ts'
import type { Terminal } from './terminal.ts'
import { renderDiagnostics } from './views/render-diagnostics.ts'
import { renderSimulation } from './views/render-simulation.ts'
import { simulationMarkdown } from './views/simulation-markdown.ts'
import { styleFor } from './views/style.ts'

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

/** Simulates the schedules of documents and prints what they do; returns 0, or 1 if there are problems of `--fail-on`. */
export async function simulatePipelines(
  paths: readonly string[],
  flags: SimulateFlags,
  terminal: Terminal,
): Promise<number> {
  const { out, err } = terminal
  const failOn = readFailOn(flags.failOn)
  const first = flags.from ?? new Date(terminal.surroundings.clock.now()).toISOString().slice(0, 10)
  if (!isDay(first)) throw badDay(first)
  if (flags.days < 1 || flags.days > MOST_DAYS) throw badDays(flags.days)
  const dates = datesFrom(first, flags.days)
  const service = serviceOf(flags.service, terminal)
  const root = realpathSync(dirname(readConfig({}, terminal.cwd)?.file ?? join(terminal.cwd, 'audience.yaml')))
  const scratch = mkdtempSync(join(quickDisk(), 'audience-simulate-'))
  const interrupted = new AbortController()
  const forget = terminal.onInterrupt(() => interrupted.abort())
  try {
    const { now, base } = await projectsOf(paths, { root, scratch, flags, terminal })
    if (!now) return EXIT_CODES.invalid
    const all = [now, ...(base ? [base] : [])]
    if (err.isTTY && all.some(({ pipelines }) => pipelines.length > 0))
      err.write(`simulating ${count(now.pipelines.length, 'pipeline')} …\n`)
    const [simulation, before] = await simulate(all, {
      ...{ dates, service, scratch, lists: flags.lists, isExact: flags.exact === true, signal: interrupted.signal },
      profile: now.profile,
      env: envOf(all),
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
    forget()
    rmSync(scratch, { recursive: true, force: true })
  }
}

type Loaded = SimulatedProject & { readonly profile: string }

interface Request {
  /** The folder of the project, and one for what is thrown away. */
  readonly root: string
  readonly scratch: string
  readonly flags: SimulateFlags
  readonly terminal: Terminal
}

/** The project as it is, undefined if a document of it has errors; with `--changed-since`, also as it was. */
async function projectsOf(
  paths: readonly string[],
  request: Request,
): Promise<{ readonly now: Loaded | undefined; readonly base?: Loaded | undefined }> {
  const { root, scratch, flags, terminal } = request
  const { cwd, env } = terminal
  const settings = settingsAt(root, request)
  const wanted = paths.length > 0 ? paths : [relative(cwd, settings.pipelines) || '.']
  const { changedSince } = flags
  const base: BaseProject | undefined =
    changedSince === undefined
      ? undefined
      : await writeBase(await baseSince(changedSince, { folder: cwd, env }), root, join(scratch, 'base'))
  const files = documentsAt(wanted, request, base)
  if (!base) return { now: load(files, root, request) }
  const { policy, profiles } = settings
  const changed = changedDocuments(files, base, { policy, values: profiles[0] })
  const now = load(changed, root, request)
  const areWanted = wanted.map((path) => resolve(cwd, path))
  const gone = base.gone.filter((file) => areWanted.some((path) => isBelow(realpathOr(path), join(root, file))))
  const before = [...changed.map((file) => relative(root, file)), ...gone]
    .map((file) => join(base.root, file))
    .filter(isFile)
  return { now, base: now && load(before, base.root, request) }
}

/** The documents at the paths, by their real paths. Those that are all gone need no others. */
function documentsAt(paths: readonly string[], { root, terminal }: Request, base: BaseProject | undefined): string[] {
  const { cwd } = terminal
  const found = base && base.gone.length > 0 ? findOrNone(paths, cwd) : findDocuments(paths, cwd)
  const files = found.filter(isDocumentName).map((file) => realpathOr(resolve(cwd, file)))
  if (files.length === 0 && !base) throw noDocuments(paths)
  const outside = files.find((file) => !isBelow(root, file))
  if (outside !== undefined) throw outsideOf(relative(cwd, outside), root)
  return [...new Set(files)]
}

function findOrNone(paths: readonly string[], cwd: string): string[] {
  try {
    return findDocuments(paths, cwd)
  } catch (error) {
    if (error instanceof AudienceError && error.code === 'no-documents') return []
    throw error
  }
}

function realpathOr(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** The settings of the project: its audience.yaml counts, and of the environment only the profile. */
function settingsAt(root: string, { flags: { profile }, terminal: { env } }: Request) {
  return documentSettings({ env: { AUDIENCE_PROFILE: env.AUDIENCE_PROFILE }, cwd: root }, { profile })
}

/**
 * Loads documents. Errors of a document of now are printed, and then it is undefined; a document of the base that has
 * errors is left out and named.
 */
function load(files: readonly string[], root: string, request: Request): Loaded | undefined {
  const { terminal } = request
  const { policy, channels, profiles } = settingsAt(root, request)
  const [values] = profiles
  const isNow = root === request.root
  const pipelines: Pipeline[] = []
  const named = new Map<string, string>()
  let errors = 0
  for (const file of files) {
    const document = readDocument(file)
    const { pipeline, diagnostics } = loadPipeline({
      ...{ ...document, file, stepTypes, values, readDocument: documentAt, channels: () => channels },
      policy: documentPolicy(policy),
    })
    const shown = relative(root, file)
    if (!pipeline) {
      errors += 1
      if (isNow) showErrors(new InvalidDocumentError(shown, document.text, diagnostics), root, terminal)
      else terminal.err.write(`${printable(`${shown} had errors at the base: its schedules count as added`)}\n`)
      continue
    }
    const other = named.get(pipeline.name)
    if (isNow && other !== undefined) throw sameName(pipeline.name, other, shown)
    named.set(pipeline.name, shown)
    pipelines.push(pipeline)
  }
  return isNow && errors > 0 ? undefined : { root, pipelines, profile: values.name, checkFile: fileCheck(policy) }
}

function showErrors({ diagnostics, text }: InvalidDocumentError, root: string, { err, cwd }: Terminal): void {
  const near = diagnostics
    .filter(({ severity }) => severity === 'error')
    .map((one) => ({ ...one, at: one.at && { ...one.at, file: relative(cwd, resolve(root, one.at.file)) } }))
  err.write(`${renderDiagnostics(near, text, styleFor(err))}\n`)
}

/** What stands in for the environment: a simulation is the same everywhere, and shows no secret. */
function envOf(projects: readonly SimulatedProject[]): Record<string, string> {
  const names = projects.flatMap(({ pipelines }) => pipelines.flatMap((pipeline) => pipeline.env))
  return Object.fromEntries(names.map((name) => [name, `https://example.com/${name}`]))
}

function serviceOf(service: string, { cwd }: Terminal): LivedService {
  if (service === 'realistic' || service === 'fast') return service
  const network = resolve(cwd, service)
  if (isFile(network)) return { network }
  throw new AudienceError({
    code: 'no-network',
    kind: 'usage',
    message: `--service ${service} is neither realistic, fast nor a file`,
    hint: didYouMean(service, ['realistic', 'fast']) ?? 'give the path of a network.yaml',
  })
}

function readFailOn(text: string | undefined): readonly ProblemKind[] {
  if (text === undefined) return []
  return text.split(',').map((given) => {
    const name = given.trim()
    const kind = PROBLEMS.find((one) => one === name)
    if (kind) return kind
    throw new AudienceError({
      code: 'unknown-problem',
      kind: 'usage',
      message: `--fail-on knows no problem "${name}"`,
      hint: didYouMean(name, PROBLEMS) ?? `give some of ${PROBLEMS.join(', ')}, separated by commas`,
    })
  })
}

function render(simulation: Simulation, format: SimulateFlags['format'], { out }: Terminal): readonly string[] {
  switch (format) {
    case 'json':
      return [printableJson(JSON.stringify(simulation))]
    case 'markdown':
      return simulationMarkdown(simulation)
    case 'table':
      return renderSimulation(simulation, { style: styleFor(out), width: out.isTTY ? out.columns : undefined })
  }
}

/** Says which of the problems there are, on standard error: the output may be read by a program. */
function failing({ problems }: Simulation, failOn: readonly ProblemKind[], { err }: Terminal): number {
  const found = problems.filter(({ kind }) => failOn.includes(kind))
  for (const { kind, pipeline, trigger, slots, first, why } of found)
    err.write(`${printable(`${kind}: ${pipeline}/${trigger}, ${count(slots, 'slot')}, the first ${first}: ${why}`)}\n`)
  return found.length > 0 ? EXIT_CODES.failed : 0
}

function badDay(text: string): AudienceError {
  return new AudienceError({
    code: 'bad-time',
    kind: 'usage',
    message: `--from "${text}" is no day`,
    hint: 'write it as 2026-10-20',
  })
}

function badDays(days: number): AudienceError {
  return new AudienceError({
    code: 'bad-days',
    kind: 'usage',
    message: `--days ${days} is out of range`,
    hint: `give from 1 to ${MOST_DAYS}`,
  })
}

function noDocuments(paths: readonly string[]): AudienceError {
  return new AudienceError({
    code: 'no-documents',
    kind: 'usage',
    message: `there is no pipeline at ${paths.join(', ')}: only tests`,
    hint: 'name a pipeline, or a folder with some',
  })
}

function outsideOf(file: string, root: string): AudienceError {
  return new AudienceError({
    code: 'other-project',
    kind: 'usage',
    message: `${file} is outside of the project ${root}`,
    hint: 'go to the folder with its audience.yaml, and simulate it there',
  })
}

function sameName(name: string, one: string, other: string): AudienceError {
  return new AudienceError({
    code: 'same-name',
    kind: 'invalid',
    message: `${one} and ${other} have the same name, ${name}: \`audience start\` runs only one of them`,
    hint: 'rename one',
  })
}
