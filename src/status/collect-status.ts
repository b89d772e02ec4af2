import { serviceOf } from '../config/service-of.ts'
import { type Settings, stateName } from '../config/settings.ts'
import { type SteadyClock, within } from '../core/clock.ts'
import { DAY_MS } from '../core/duration.ts'
import { AudienceError } from '../core/errors.ts'
import { isoTime } from '../core/iso-time.ts'
import { parseForeignJson } from '../core/json.ts'
import type { Trigger } from '../core/pipeline.ts'
import { elsewhere, isOfService, isSynthetic, type ServiceRef } from '../core/service-ref.ts'
import { deploymentState } from '../daemon/deployment/deployment-state.ts'
import { documentsInUse } from '../daemon/deployment/documents-in-use.ts'
import type { LiveDocument } from '../daemon/documents/live-documents.ts'
import type { NotReady } from '../daemon/health/readiness.ts'
import { type DaemonState, readDaemon } from '../daemon/lock/daemon-file.ts'
import { boundedText } from '../platform/bounded-text.ts'
import { fileCheck } from '../policy/enforce.ts'
import { muteItem } from '../state/mutes.ts'
import type { RunOutcomes, TriggerMemory, TriggerSummary } from '../state/occurrence-store.ts'
import type { ReadableState, StateAround } from '../state/state.ts'
import { withReadableState } from '../state/with-readable-state.ts'
import type { WorkerRow } from '../state/worker-row.ts'
import { localDisk } from '../triggers/watch/disk.ts'
import { findRivals, findRound, RIVALS_HINT, rivalsText, roundText } from '../triggers/watch/stops.ts'
import { unsharedFolders } from '../triggers/watch/unshared-folders.ts'
import { pathOf, type Watch } from '../triggers/watch/watch.ts'
import { WatchTriggers } from '../triggers/watch/watch-triggers.ts'
import { ignoredFiles } from './ignored-files.ts'
import { nextSlots } from './next-slots.ts'
import { lastFailures, partnersAwaited, personsWanted, runsUnderWay, unattendedRuns } from './runs-status.ts'
import type {
  DaemonAnswer,
  DaemonStatus,
  FolderStatus,
  FolderUnwatched,
  SlotCounts,
  StatusReport,
  WorkerStatus,
} from './status-report.ts'
import { stepsBlocked } from './steps-blocked.ts'
import { aftersOf } from './waiting-sets.ts'

const NEXT_SLOTS = 5

/**
 * Collects the status from the state, the documents, and the daemon if one runs. Writes nothing and starts nothing.
 * `version` is that of the command. `serviceFor`: the service that a command on a run of that profile would use; undefined if none can be used.
 * `notice` is called if the daemon takes its time.
 */
export async function collectStatus(
  settings: Settings,
  around: StateAround,
  {
    serviceFor,
    version,
    notice = () => undefined,
  }: {
    readonly serviceFor: (profile: string) => ServiceRef | undefined
    readonly version: string
    readonly notice?: (text: string) => void
  },
): Promise<StatusReport> {
  const { clock } = around
  const now = clock.now()
  const [here, documents] = await Promise.all([
    daemonStatus(readDaemon(settings.state), { clock, notice }),
    documentsInUse(settings, around),
  ])
  return withReadableState({ ...settings, here: { profile: settings.profileName } }, around, async (state) => {
    const workers = (await state.workers?.list())?.filter(({ expiresAt }) => expiresAt > now)
    const daemon = workers ? keeperStatus(workers, here) : here
    const triggers = triggersOf(documents.documents.values())
    const paused = (await state.occurrences.memories()).filter(({ pausedAt }) => pausedAt !== undefined)
    const next = nextSlots(
      triggers.schedules.filter(({ pipeline, trigger }) => !isAmong(paused, pipeline.name, trigger.id)),
      { after: now, limit: NEXT_SLOTS, checkFile: fileCheck(settings.policy) },
    )
    const since = now - DAY_MS
    const summaries = await state.occurrences.summary(since)
    const warnings = await folderWarnings(triggers.watches, clock)
    return {
      at: isoTime(now),
      version,
      state: stateName(settings),
      pipelines: settings.pipelines,
      deployment: settings.deployment && (await deploymentOf(state)),
      service: serviceStatus(settings),
      otherServices: await otherServices(settings, state),
      daemon,
      workers: workers?.map(workerStatus),
      ...(await runsOf(state, daemon, { now, since, serviceFor, folders: unwatchedOf(triggers.watches, settings) })),
      schedules: {
        next: next.slots,
        paused: paused.map(({ pipeline, trigger, pausedAt = now }) => ({
          pipeline,
          trigger,
          since: isoTime(pausedAt),
        })),
        ...slotsOf(summaries, triggers.schedules),
      },
      after: await aftersOf(documents.documents, summaries, { ends: state.ends, now }),
      folders: await Promise.all(
        triggers.watches.map((watch, index) => folderOf(watch, summaries, state, warnings[index] ?? [])),
      ),
      notifications: {
        ...(await state.outbox.counts()),
        mutes: (await state.mutes.list(now)).map(muteItem),
      },
      problems: [...documents.problems.map(({ file, messages }) => ({ file, messages })), ...next.problems],
    }
  })
}

async function deploymentOf({ deployments }: ReadableState): Promise<StatusReport['deployment']> {
  const [current, look, orders] = [await deployments.current(), await deployments.look(), await deployments.orders()]
  return {
    state: deploymentState(look, orders) ?? 'unknown',
    commit: current?.commit,
    since: look && isoTime(orders.paused?.at ?? look.since),
  }
}

function serviceStatus(settings: Settings): StatusReport['service'] {
  const here = serviceIn(settings)
  if (!(here instanceof AudienceError)) return { ...here, synthetic: isSynthetic(here) }
  return { problem: here.message, hint: here.hint }
}

async function otherServices(settings: Settings, { runs }: ReadableState): Promise<StatusReport['otherServices']> {
  const here = serviceIn(settings)
  const all = await runs.unfinishedServices()
  return here instanceof AudienceError ? all : all.filter((service) => !isOfService(service, here))
}

function serviceIn(settings: Settings): ServiceRef | AudienceError {
  try {
    return serviceOf(settings)
  } catch (error) {
    if (error instanceof AudienceError) return error
    throw error
  }
}

async function daemonStatus(
  daemon: DaemonState,
  { clock, notice }: { readonly clock: SteadyClock; readonly notice: (text: string) => void },
): Promise<DaemonStatus> {
  if (daemon.state === 'stopped') return { state: 'stopped' }
  const { state, info } = daemon
  const { url } = info ?? {}
  if (state !== 'running' || url === undefined) return { state, ...info }
  const slow = clock.timer(NOTICED_AFTER_MS, () => notice(`waiting for the answer of audience start at ${url}`))
  try {
    return { state, ...info, ...(await askDaemon(url, clock)) }
  } finally {
    slow.cancel()
  }
}

/** Of many processes it shows the keeper, unless one works in this folder. */
function keeperStatus(workers: readonly WorkerRow[], here: DaemonStatus): DaemonStatus {
  if (here.state === 'running') return here
  const keeper = workers.find((worker) => worker.keeper)
  if (!keeper) return { state: 'stopped' }
  const { pid, host, version, startedAt } = keeper
  return { state: 'running', pid, host, version, startedAt: isoTime(startedAt) }
}

function workerStatus({ startedAt, expiresAt, drainingSince, queue: _, ...worker }: WorkerRow): WorkerStatus {
  return {
    ...worker,
    startedAt: isoTime(startedAt),
    expiresAt: isoTime(expiresAt),
    drainingSince: drainingSince === undefined ? undefined : isoTime(drainingSince),
  }
}

type OfKind<Kind extends Trigger['kind']> = LiveDocument & { readonly trigger: Extract<Trigger, { kind: Kind }> }

function triggersOf(documents: Iterable<LiveDocument>) {
  const schedules: OfKind<'schedule'>[] = []
  const watches: OfKind<'watch'>[] = []
  for (const document of documents) {
    for (const trigger of document.pipeline.triggers) {
      if (trigger.kind === 'schedule') schedules.push({ ...document, trigger })
      if (trigger.kind === 'watch') watches.push({ ...document, trigger })
    }
  }
  return { schedules, watches }
}

async function runsOf(
  { runs }: ReadableState,
  daemon: DaemonStatus,
  {
    now,
    since,
    serviceFor,
    folders,
  }: {
    readonly now: number
    readonly since: number
    readonly serviceFor: (profile: string) => ServiceRef | undefined
    readonly folders: readonly FolderUnwatched[]
  },
): Promise<
  Pick<StatusReport, 'runs' | 'underWay' | 'needsYou' | 'partnerWaits' | 'blocked' | 'failures' | 'moreFailures'>
> {
  const wanted = [...(await unattendedRuns(runs, daemon, now)), ...(await personsWanted(runs))]
  return {
    runs: {
      ...(await runs.counts()),
      lastDay: { ...(await runs.endedSince(since)), succeededInPart: await runs.succeededInPart(since) },
    },
    underWay: await runsUnderWay(runs),
    partnerWaits: await partnersAwaited(runs),
    blocked: await stepsBlocked(runs),
    needsYou: [
      ...folders,
      ...(await Promise.all(
        wanted.map(async (one) => {
          const run = await runs.find(one.runId)
          const here = run && serviceFor(run.profile)
          const where = run && here && elsewhere(run, here)
          return { ...one, elsewhere: where }
        }),
      )),
    ],
    ...(await lastFailures(runs, since)),
  }
}

/** For a state in PostgreSQL, whose workers watch only folders that all machines see. */
function unwatchedOf(watches: readonly OfKind<'watch'>[], { database }: Settings): FolderUnwatched[] {
  if (!database) return []
  return unsharedFolders(watches).map(({ command, ...folder }) => ({
    ...folder,
    reason: 'notShared',
    commands: [command],
  }))
}

/** The outcomes of slots of existing schedules; those of schedules that are gone do not count. */
function slotsOf(
  summaries: readonly TriggerSummary[],
  schedules: readonly OfKind<'schedule'>[],
): { due: number; lastDay: SlotCounts } {
  const mine = schedules.flatMap(({ pipeline, trigger }) => summaryOf(summaries, pipeline.name, trigger.id) ?? [])
  const sum = (figure: (summary: TriggerSummary) => number) => mine.reduce((total, one) => total + figure(one), 0)
  return {
    due: sum(({ due }) => due),
    lastDay: {
      ran: sum(({ recent }) => recent.ran),
      outcomes: mine.reduce(added, {}),
      skipped: sum(({ recent }) => recent.skipped),
      missed: sum(({ recent }) => recent.missed),
      failed: sum(({ recent }) => recent.failed),
      caughtUp: sum((summary) => summary.caughtUp),
    },
  }
}

function added(total: RunOutcomes, { runs }: TriggerSummary): RunOutcomes {
  const names = Object.keys({ ...total, ...runs }) as (keyof RunOutcomes)[]
  return Object.fromEntries(names.map((name) => [name, (total[name] ?? 0) + (runs[name] ?? 0)]))
}

async function folderOf(
  watch: OfKind<'watch'>,
  summaries: readonly TriggerSummary[],
  { occurrences }: ReadableState,
  warnings: readonly string[],
): Promise<FolderStatus> {
  const { pipeline, trigger } = watch
  const known = summaryOf(summaries, pipeline.name, trigger.id)
  const { ran = 0, skipped = 0, failed = 0 } = known?.recent ?? {}
  const { runs: outcomes = {} } = known ?? {}
  const runFailed = (outcomes.failed ?? 0) + (outcomes.cancelled ?? 0)
  return {
    pipeline: pipeline.name,
    trigger: trigger.id,
    path: pathOf(watch),
    warnings: warnings.length > 0 ? warnings : undefined,
    open: known?.open ?? 0,
    ignored: await ignoredFiles(occurrences, { pipeline: pipeline.name, trigger: trigger.id }),
    lastDay: { ran, runFailed, outcomes, skipped, failed },
  }
}

function summaryOf(summaries: readonly TriggerSummary[], pipeline: string, trigger: string) {
  return summaries.find((one) => one.pipeline === pipeline && one.trigger === trigger)
}

function isAmong(memories: readonly TriggerMemory[], pipeline: string, trigger: string): boolean {
  return memories.some((memory) => memory.pipeline === pipeline && memory.trigger === trigger)
}

/** On a busy machine a daemon that works well may need seconds. */
const ANSWER_WITHIN_MS = 15_000
const NOTICED_AFTER_MS = 1000
/**
 * Room for the problems of some thousand folders and runs. Limited, because another program may answer at the address
 * of a killed daemon.
 */
const MOST_ANSWER_BYTES = 4_000_000

/** Asks a daemon for its health; undefined if it does not answer. */
async function askDaemon(url: string, clock: SteadyClock): Promise<DaemonAnswer | undefined> {
  try {
    // A daemon's answer has these fields; see start-health-server.ts.
    const [health, ready] = await Promise.all([
      get(`${url}/healthz`, clock) as Promise<{
        status: string
        runs: number
        waits: number
        stuck: readonly string[]
      }>,
      get(`${url}/readyz`, clock) as Promise<{ notReady?: readonly NotReady[] }>,
    ])
    const { runs, waits, stuck } = health
    return { alive: health.status === 'alive', notReady: ready.notReady ?? [], load: { runs, waits }, stuck }
  } catch {
    return undefined
  }
}

function get(url: string, clock: SteadyClock): Promise<unknown> {
  const ask = async (signal: AbortSignal) =>
    parseForeignJson(await boundedText(await fetch(url, { signal }), MOST_ANSWER_BYTES))
  return within(ANSWER_WITHIN_MS, ask, { clock })
}

/** For each watched folder with a problem: why its files are not taken, or not by its trigger alone. */
async function folderWarnings(watches: readonly Watch[], clock: SteadyClock): Promise<readonly (readonly string[])[]> {
  const around = new WatchTriggers(localDisk, clock)
  around.replace(watches)
  const stops = await around.stops()
  return Promise.all(
    watches.map(async (watch) => {
      const stop = await around.stopOf(watch)
      const [rivals, round] = [findRivals(stop, stops), findRound(stop, stops)]
      return [
        ...(round ? [`nothing is taken: ${roundText(round)}`] : []),
        ...(rivals.length > 0 ? [`${rivalsText(stop, rivals, pathOf(watch))}; ${RIVALS_HINT}`] : []),
      ]
    }),
  )
}
