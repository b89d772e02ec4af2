import { existsSync } from 'node:fs'
import type { Exchange } from '../adapter/transport.ts'
import { serviceOf } from '../config/choose-service.ts'
import type { SteadyClock } from '../core/clock.ts'
import type { AudienceError } from '../core/errors.ts'
import { messageOf } from '../core/message-of.ts'
import { type Pipeline, stepsOf } from '../core/pipeline.ts'
import type { ServiceRef } from '../core/service-ref.ts'
import { followDeployments } from '../daemon/deployment/deployed-pipelines.ts'
import { releaseRules } from '../daemon/deployment/read-release.ts'
import { type LiveDocument, triggersOf } from '../daemon/documents/live-documents.ts'
import { requireFolder, watchPipelinesFolder } from '../daemon/documents/pipelines-folder.ts'
import { pipelineReader, readPipeline } from '../daemon/documents/read-pipeline.ts'
import { beatingClock, createHeartbeats } from '../daemon/health/heartbeats.ts'
import { type Condition, notReady } from '../daemon/health/readiness.ts'
import { watchService } from '../daemon/health/service-monitor.ts'
import { startHealthServer } from '../daemon/health/start-health-server.ts'
import { acquireDaemonLock, tryDaemonLock } from '../daemon/lock/acquire-daemon-lock.ts'
import { logEvents } from '../daemon/log-events.ts'
import { createMetrics, type MetricsView } from '../daemon/metrics/create-metrics.ts'
import type { ReadyCheck } from '../daemon/metrics/definitions.ts'
import type { RunLabels } from '../daemon/metrics/run-metrics.ts'
import { readStateFigures } from '../daemon/metrics/state-metrics.ts'
import { reportOtherServices } from '../daemon/report-other-services.ts'
import { watchOptOuts } from '../daemon/watch-opt-outs.ts'
import { watchStateFiles } from '../daemon/watch-state-files.ts'
import { watchUnattendedRuns } from '../daemon/watch-unattended-runs.ts'
import { preparedSignalsOf } from '../pipeline/check-prepared.ts'
import { releaseMemory } from '../platform/release-memory.ts'
import { UnattendedRuns, whyUnattended } from '../runs/unattended-runs.ts'
import type { State } from '../state/state.ts'
import { folderTrouble } from '../triggers/watch/start-watcher.ts'
import { whyUnshared } from '../triggers/watch/unshared-folders.ts'
import { GRACE_MS, openApp } from './app.ts'
import { checkAfterCrash } from './check-after-crash.ts'
import { holdRole } from './hold-role.ts'
import { openChannels } from './open-channels.ts'
import type { ClientDeps } from './open-client.ts'
import { openConsole } from './open-console.ts'
import { startDeployments } from './open-deployment.ts'
import { openPings } from './open-pings.ts'
import { STALLED_AFTER_MS, startDuties } from './start-duties.ts'

export interface Daemon {
  /** The address where it reports its health. */
  readonly url: string
  /** The address of its console, if it has one. */
  readonly console?: string
  /** The service that the daemon uses. */
  readonly here: ServiceRef
  /** How many pipelines it runs. */
  readonly pipelines: number
  /** Resolves when the daemon cannot continue because the files of the state were removed or replaced. */
  readonly broken: Promise<AudienceError>
  /** Resolves when the daemon was told to drain and has no runs left. */
  readonly drained: Promise<void>
  /** Ends all work, within a time limit. The next start resumes what has not ended. */
  stop(): Promise<void>
}

type DaemonDeps = ClientDeps & {
  readonly host: string
  readonly port: number
  readonly version: string
  /** Without the web console. */
  readonly noConsole?: true
}

/**
 * Starts the daemon of a state folder: it resumes interrupted runs, runs schedules, watches folders and sends
 * notifications. Throws if another daemon has the folder, and for every problem that a person must fix first.
 */
export async function startDaemon(deps: DaemonDeps): Promise<Daemon> {
  const { settings } = deps
  const here = serviceOf(settings)
  // Checked first, so that a start in the wrong folder creates no state.
  if (!existsSync(settings.state) && !settings.deployment) requireFolder(settings.pipelines)
  const started = new AsyncDisposableStack()
  try {
    const lock = lockState(deps, here, started)
    const messengers = openMessengers(deps)
    const runner = await openRunner(deps, started)
    const documents = await followDocuments(deps, runner, started)
    const health = healthOf(deps, runner, documents)
    await takeUpDuties(deps, { ...runner, ...documents, ...health, ...messengers }, started)
    const urls = await openServers(deps, { ...runner, ...documents, ...health }, started)
    lock?.announce(urls)
    const broken = watchOver(deps, { ...runner, ...health, here }, started)
    const { sharing } = runner.app
    const drained = sharing?.drained ?? new Promise<void>(() => undefined)
    return {
      ...{ ...urls, here, pipelines: documents.pipelines.size, broken, drained },
      stop() {
        // Stops the runs first, so that other workers get them soon, even if the rest takes long to end.
        sharing?.stopRuns(GRACE_MS)
        return started.disposeAsync()
      },
    }
  } catch (error) {
    await started.disposeAsync()
    throw error
  }
}

/**
 * Only one daemon may use a state folder, but many may use a database. With a database, commands use the lock to find
 * one of these daemons.
 */
function lockState(
  { settings, surroundings: { clock }, log, version }: DaemonDeps,
  here: ServiceRef,
  started: AsyncDisposableStack,
) {
  const daemon = { version, now: clock.now(), here }
  const lock = settings.database ? tryDaemonLock(settings.state, daemon) : acquireDaemonLock(settings.state, daemon)
  started.defer(() => lock?.release())
  if (!settings.database) checkAfterCrash(settings.state, log, clock.steady)
  return lock
}

function openMessengers(deps: DaemonDeps) {
  const { clock } = deps.surroundings
  return { channels: openChannels({ ...deps, clock }), pings: openPings({ ...deps, clock }) }
}

type Runner = Awaited<ReturnType<typeof openRunner>>

/**
 * Opens the state, the client of the service and the engine, and starts to monitor them. It does not work on runs yet.
 */
async function openRunner(deps: DaemonDeps, started: AsyncDisposableStack) {
  const { settings, surroundings, log, version } = deps
  const { clock } = surroundings
  const listeners: ((exchange: Exchange) => void)[] = []
  const app = await openApp({
    ...deps,
    maxRuns: settings.maxRuns,
    takes: 'all',
    onExchange(exchange) {
      for (const listener of listeners) listener(exchange)
    },
  })
  started.defer(() => app.close())
  const { engine, state, sharing } = app
  const metrics = createMetrics({ version, lookUp: (runId) => labelsOf(state, runId) })
  engine.watch(metrics.onEvent)
  engine.watch(logEvents(log))
  const sight = watchService({ reach: () => app.reach(), clock, log })
  started.defer(() => sight.stop())
  listeners.push(metrics.onExchange, sight.onExchange)
  const unattended = new UnattendedRuns({ engine, runs: state.runs })
  const beats = createHeartbeats(clock.steady)
  const role = holdRole({ clock, log, isShared: sharing !== undefined })
  return { app, metrics, sight, unattended, beats, role }
}

type Documents = Awaited<ReturnType<typeof followDocuments>>

/** Reads the pipelines of the folder or of the deployment, and follows their changes. */
async function followDocuments(deps: DaemonDeps, { app, metrics, beats, role }: Runner, started: AsyncDisposableStack) {
  const { settings, surroundings, log } = deps
  const { clock } = surroundings
  const pipelines = new Map<string, Pipeline>()
  const onChange = (documents: ReadonlyMap<string, LiveDocument>) => {
    pipelines.clear()
    for (const [pipeline, document] of documents) pipelines.set(pipeline, document.pipeline)
    metrics.load([...pipelines.values()], clock.now())
    role.duties?.replace(documents)
  }
  const read = pipelineReader(settings)
  const its = { onChange, clock: beatingClock(clock, beats.loop('pipelines', STALLED_AFTER_MS)), log }
  const deployed = settings.deployment
    ? await followDeployments({
        ...its,
        deployments: app.state.deployments,
        releases: settings.pipelines,
        rules: releaseRules(settings, read),
      })
    : undefined
  const folder = deployed ?? (await watchPipelinesFolder({ ...its, folder: settings.pipelines, read }))
  started.defer(() => folder.close())
  onChange(folder.documents())
  const optOuts = watchOptOuts({
    optOuts: settings.privacy.suppress,
    signals: () => [...pipelines.values()].flatMap(preparedSignalsOf),
    prove: app.proveOptOuts,
    clock,
    log,
  })
  started.defer(() => optOuts.stop())
  return { pipelines, folder, deployed, optOuts }
}

/** The loops that have stopped, and the checks of everything that the daemon needs. */
function healthOf(
  { settings }: DaemonDeps,
  { app, sight, unattended, beats, role }: Runner,
  { folder, optOuts }: Documents,
) {
  const stalled = () => [...beats.stalled(), ...(role.duties?.stalled() ?? [])]
  const stateTrouble = () => app.state.ping().then(() => undefined, messageOf)
  const checks = {
    state: stateTrouble,
    pipelines: () => folder.problems().find(({ file }) => file === settings.pipelines)?.messages[0],
    folders: () =>
      (settings.database && whyUnshared(triggersOf(folder.documents().values(), 'watch'))) ??
      folderTrouble(role.duties?.folders() ?? []),
    service: () => sight.reason(),
    runs: () => whyUnattended(unattended.runs),
    optOuts: () => optOuts.reason(),
    draining: () =>
      app.sharing?.isDraining()
        ? 'this worker is draining: it takes nothing new, and ends when its runs have ended'
        : undefined,
  } satisfies Record<ReadyCheck, Condition>
  return { stalled, stateTrouble, checks }
}

type Health = ReturnType<typeof healthOf>

/** Begins the runs and, once this process has the role, the duties that only one process at a time has. */
async function takeUpDuties(
  deps: DaemonDeps,
  work: Runner & Documents & Health & ReturnType<typeof openMessengers>,
  started: AsyncDisposableStack,
): Promise<void> {
  const { app, role, folder, deployed, stalled, stateTrouble } = work
  const { engine, state, sharing } = app
  const duties = {
    ...deps,
    ...work,
    isWell: async () => stalled().length === 0 && (await stateTrouble()) === undefined,
    deploy:
      deployed && ((beating: SteadyClock) => startDeployments({ ...deps, state, pipelines: deployed, clock: beating })),
  }
  started.defer(() => role.end())
  const begin = () => role.begin(() => startDuties(folder.documents(), duties))
  if (sharing) sharing.onKeeper(begin, role.end)
  else await begin()
  engine.start()
}

/** Opens the health server and the console, and returns their addresses. */
async function openServers(
  deps: DaemonDeps,
  { app, metrics, unattended, role, pipelines, folder, stalled, checks }: Runner & Documents & Health,
  started: AsyncDisposableStack,
) {
  const { settings, host, port, surroundings, log } = deps
  const { engine, state } = app
  const view: MetricsView = {
    load: () => engine.load(),
    unattended: () => unattended.runs.length,
    documents: () => ({ live: pipelines.size, problems: folder.problems().length }),
    notReady: () => notReady(checks),
    isKeeper: () => role.duties !== undefined,
    stateFolder: settings.state,
    readFigures: () => readStateFigures(state, pipelines.keys()),
  }
  const server = await startHealthServer({
    ...{ host, port, hosts: settings.hosts, redact: app.redact, clock: surroundings.clock, log },
    health: { stalled, load: engine.load, stuck: engine.stuck, checks },
    metrics: { contentType: metrics.contentType, text: () => metrics.text(view) },
  })
  started.defer(() => server.close())
  const console = deps.noConsole ? undefined : await openConsole({ ...deps, app, folder, checks })
  started.defer(async () => console?.close())
  return { url: server.url, console: console?.url }
}

/** Starts the background tasks that monitor the daemon and its state. Resolves when the daemon cannot continue. */
function watchOver(
  { surroundings: { clock }, log }: DaemonDeps,
  { app, unattended, stateTrouble, here }: Runner & Health & { here: ServiceRef },
  started: AsyncDisposableStack,
): Promise<AudienceError> {
  const { state, sharing } = app
  const calm = new AbortController()
  const { signal } = calm
  started.defer(() => calm.abort())
  void releaseMemory(clock, signal)
  const isKeeper = () => sharing?.isKeeper() ?? true
  void watchUnattendedRuns(unattended, { clock, log, stateTrouble, isKeeper, signal })
  void reportOtherServices({ runs: state.runs, here, clock, log, signal })
  return new Promise((resolve) => {
    void watchStateFiles(app.stateTrouble, clock, signal).then((trouble) => trouble && resolve(trouble))
    void sharing?.lost.then(resolve)
  })
}

/** The label of a run that this process did not see begin. */
async function labelsOf({ runs }: Pick<State, 'runs'>, runId: string): Promise<RunLabels | undefined> {
  const [first] = await runs.records(runId)
  if (first?.record.type !== 'run.submitted') return undefined
  const pipeline = readPipeline(first.record)
  const steps = new Map(stepsOf(pipeline).map(({ id, uses }) => [id, uses]))
  // Neither a block nor its items have a step type.
  return { pipeline: pipeline.name, stepType: (id) => steps.get(id) ?? 'forEach' }
}
