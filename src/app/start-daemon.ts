import { existsSync } from 'node:fs'
import { serviceOf } from '../config/service-of.ts'
import type { SteadyClock } from '../core/clock.ts'
import type { AudienceError } from '../core/errors.ts'
import { messageOf } from '../core/message-of.ts'
import { type Pipeline, stepsOf } from '../core/pipeline.ts'
import type { ServiceRef } from '../core/service-ref.ts'
import { followDeployments } from '../daemon/deployment/deployed-pipelines.ts'
import { releaseRules } from '../daemon/deployment/release-rules.ts'
import type { LiveDocument } from '../daemon/documents/live-documents.ts'
import { requireFolder, watchPipelinesFolder } from '../daemon/documents/pipelines-folder.ts'
import { pipelineReader, readPipeline } from '../daemon/documents/read-pipeline.ts'
import { beatingClock, createHeartbeats } from '../daemon/health/heartbeats.ts'
import { type Condition, notReady } from '../daemon/health/readiness.ts'
import { watchService } from '../daemon/health/service-monitor.ts'
import { startHealthServer } from '../daemon/health/start-health-server.ts'
import { acquireDaemonLock, tryDaemonLock } from '../daemon/lock/acquire-daemon-lock.ts'
import { logEvents } from '../daemon/log-events.ts'
import { createMetrics } from '../daemon/metrics/create-metrics.ts'
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
import { folderTrouble } from '../triggers/watch/folder-trouble.ts'
import { whyUnshared } from '../triggers/watch/unshared-folders.ts'
import { type App, GRACE_MS, openApp } from './app.ts'
import { checkAfterCrash } from './check-after-crash.ts'
import { holdRole } from './hold-role.ts'
import { openChannels } from './open-channels.ts'
import type { ClientDeps } from './open-client.ts'
import { openConsole } from './open-console.ts'
import { startDeployments } from './open-deployment.ts'
import { openPings } from './open-pings.ts'
import { startDuties } from './start-duties.ts'
import { watchesOf } from './start-triggers.ts'

export interface Daemon {
  /** The address where it reports its health. */
  readonly url: string
  /** The address of its console, if it has one. */
  readonly console?: string
  /** Its service. */
  readonly here: ServiceRef
  /** How many pipelines it runs. */
  readonly pipelines: number
  /** Resolves when it cannot continue because the files of the state were removed or replaced. */
  readonly broken: Promise<AudienceError>
  /** Resolves when it was told to drain and has no run any more. */
  readonly drained: Promise<void>
  /** Ends all work, within a time limit. The next start resumes what has not ended. */
  stop(): Promise<void>
}

/** A loop sleeps at most one minute; if it has not run for one minute more, it has stopped. */
const STALLED_AFTER_MS = 120_000

/**
 * Starts the daemon of a state folder: it resumes interrupted runs, keeps schedules, watches folders and sends
 * notifications. Throws if another daemon has the folder, and for every problem that a person must fix first.
 */
export async function startDaemon(
  deps: ClientDeps & {
    readonly host: string
    readonly port: number
    readonly version: string
    /** Without the web console. */
    readonly noConsole?: true
  },
): Promise<Daemon> {
  const { settings, surroundings, log, version } = deps
  const { clock } = surroundings
  const here = serviceOf(settings)
  // Checked first, so that a start in the wrong folder creates no state.
  if (!existsSync(settings.state) && !settings.deployment) requireFolder(settings.pipelines)
  const started = new AsyncDisposableStack()
  try {
    const daemon = { version, now: clock.now(), here }
    const lock = settings.database ? tryDaemonLock(settings.state, daemon) : acquireDaemonLock(settings.state, daemon)
    started.defer(() => lock?.release())
    if (!settings.database) checkAfterCrash(settings.state, log, clock.steady)
    const channels = openChannels({ ...deps, clock })
    const pings = openPings({ ...deps, clock })
    const pipelines = new Map<string, Pipeline>()
    const metrics = createMetrics({
      version,
      load: () => app.engine.load(),
      unattended: () => unattended.runs.length,
      documents: () => ({ live: pipelines.size, problems: folder.problems().length }),
      notReady: () => notReady(checks),
      isKeeper: () => role.duties !== undefined,
      stateFolder: settings.state,
      readFigures: () => readStateFigures(app.state, pipelines.keys()),
      lookUp: (runId) => labelsOf(app, runId),
    })
    const app = await openApp({
      ...deps,
      maxRuns: settings.maxRuns,
      takes: 'all',
      // No request goes to the service before both exist.
      onExchange: (exchange) => {
        metrics.onExchange(exchange)
        sight.onExchange(exchange)
      },
    })
    started.defer(() => app.close())
    const { engine, state, sharing } = app
    const sight = watchService({ reach: () => app.reach(), clock, log })
    started.defer(() => sight.stop())
    const unattended = new UnattendedRuns({ engine, runs: state.runs })
    engine.watch(metrics.onEvent)
    engine.watch(logEvents(log))

    const beats = createHeartbeats(clock.steady)
    const its = {
      onChange(documents: ReadonlyMap<string, LiveDocument>) {
        name(documents)
        role.duties?.replace(documents)
      },
      clock: beatingClock(clock, beats.loop('pipelines', STALLED_AFTER_MS)),
      log,
    }
    const deployed = settings.deployment
      ? await followDeployments({
          ...{ ...its, deployments: state.deployments },
          ...{ releases: settings.pipelines, rules: releaseRules(settings, pipelineReader(settings)) },
        })
      : undefined
    const folder =
      deployed ?? (await watchPipelinesFolder({ ...its, folder: settings.pipelines, read: pipelineReader(settings) }))
    started.defer(() => folder.close())
    const name = (documents: ReadonlyMap<string, LiveDocument>) => {
      pipelines.clear()
      for (const [pipeline, document] of documents) pipelines.set(pipeline, document.pipeline)
      metrics.load([...pipelines.values()], clock.now())
    }
    name(folder.documents())
    const optOuts = watchOptOuts({
      optOuts: settings.privacy.suppress,
      signals: () => [...pipelines.values()].flatMap(preparedSignalsOf),
      prove: app.proveOptOuts,
      clock,
      log,
    })
    started.defer(() => optOuts.stop())
    const stalled = () => [...beats.stalled(), ...(role.duties?.stalled() ?? [])]
    const stateTrouble = () => state.ping().then(() => undefined, messageOf)
    const isWell = async () => stalled().length === 0 && (await stateTrouble()) === undefined
    const duties = {
      settings,
      env: deps.env,
      surroundings,
      app,
      pipelines,
      metrics,
      channels,
      pings,
      isWell,
      unattended,
      optOuts,
      deploy:
        deployed &&
        ((beating: SteadyClock) => startDeployments({ ...deps, state, pipelines: deployed, clock: beating })),
      log,
    }
    const role = holdRole(() => startDuties(folder.documents(), duties), {
      clock,
      log,
      isShared: sharing !== undefined,
    })
    started.defer(() => role.end())
    if (sharing) sharing.onKeeper(role.begin, role.end)
    else await role.begin()
    engine.start()

    const checks = {
      state: stateTrouble,
      pipelines: () => folder.problems().find(({ file }) => file === settings.pipelines)?.messages[0],
      folders: () =>
        (settings.database && whyUnshared(watchesOf(folder.documents()))) ??
        folderTrouble(role.duties?.folders() ?? []),
      service: () => sight.reason(),
      runs: () => whyUnattended(unattended.runs),
      optOuts: () => optOuts.reason(),
      draining: () =>
        sharing?.isDraining() ? 'this worker drains: it takes nothing new, and ends when its runs have' : undefined,
    } satisfies Record<ReadyCheck, Condition>
    const server = await startHealthServer({
      host: deps.host,
      port: deps.port,
      hosts: settings.hosts,
      redact: app.redact,
      health: {
        stalled,
        load: engine.load,
        stuck: engine.stuck,
        checks,
      },
      ...{ metrics, clock, log },
    })
    started.defer(() => server.close())
    const console = deps.noConsole ? undefined : await openConsole({ ...deps, app, folder, checks })
    started.defer(async () => console?.close())
    const urls = { url: server.url, console: console?.url }
    lock?.announce(urls)
    const calm = new AbortController()
    started.defer(() => calm.abort())
    void releaseMemory(clock, calm.signal)
    const isKeeper = () => sharing?.isKeeper() ?? true
    void watchUnattendedRuns(unattended, { clock, log, stateTrouble, isKeeper, signal: calm.signal })
    void reportOtherServices({ runs: state.runs, here, clock, log, signal: calm.signal })
    const broken = new Promise<AudienceError>((resolve) => {
      void watchStateFiles(app.stateTrouble, clock, calm.signal).then((trouble) => trouble && resolve(trouble))
      void sharing?.lost.then(resolve)
    })
    const drained = sharing?.drained ?? new Promise<void>(() => undefined)
    return {
      ...{ ...urls, here, pipelines: pipelines.size, broken, drained },
      stop() {
        // The other workers should get its runs soon, however long the rest takes to end.
        sharing?.stopRuns(GRACE_MS)
        return started.disposeAsync()
      },
    }
  } catch (error) {
    await started.disposeAsync()
    throw error
  }
}

/** The label of a run that this process did not see begin. */
async function labelsOf({ state }: App, runId: string): Promise<RunLabels | undefined> {
  const [first] = await state.runs.records(runId)
  if (first?.record.type !== 'run.submitted') return undefined
  const pipeline = readPipeline(first.record)
  const steps = new Map(stepsOf(pipeline).map(({ id, uses }) => [id, uses]))
  // The items of a block, and the block, have no step type of their own.
  return { pipeline: pipeline.name, stepType: (id) => steps.get(id) ?? 'forEach' }
}
