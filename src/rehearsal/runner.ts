import type { Dirent, PathLike } from 'node:fs'
import type { Logger } from 'pino'
import type { Exchange } from '../adapter/transport.ts'
import { type App, openApp } from '../app/app.ts'
import { startDuties } from '../app/start-duties.ts'
import type { Surroundings } from '../app/surroundings.ts'
import { withPlanner } from '../app/with-planner.ts'
import { channelNames } from '../config/settings.ts'
import { codeOf } from '../core/code-of.ts'
import type { JsonObject } from '../core/json.ts'
import type { Notification } from '../core/notification.ts'
import type { Pipeline } from '../core/pipeline.ts'
import { createSecrets } from '../core/secrets.ts'
import { visibleEnv } from '../core/visible-env.ts'
import type { LiveDocument } from '../daemon/documents/live-documents.ts'
import type { Channel } from '../notifications/channels/channel.ts'
import { planPipeline } from '../pipeline/plan-pipeline.ts'
import { COUNTED_ACTIONS, type PlanSummary, planSummary } from '../pipeline/plan-summary.ts'
import { PROXY_VARIABLES } from '../platform/proxies.ts'
import { planGuards } from '../runs/guards/plan-guard.ts'
import { UnattendedRuns } from '../runs/unattended-runs.ts'
import { stepTypes } from '../steps/index.ts'
import { type Disk, localDisk } from '../triggers/watch/disk.ts'
import type { FolderListener } from '../triggers/watch/folder-events.ts'
import type { WorldNetwork } from './network.ts'
import { type Doing, doingOf } from './open-runs.ts'
import { type Project, settingsIn } from './project.ts'
import type { VirtualTime, WorldClock } from './virtual-time.ts'
import type { MachineProcess } from './world-machine.ts'

/** Messages and requests that were meant for people or other systems, and were caught instead. */
export interface Caught {
  readonly notified: { readonly channel: string; readonly event: Notification['event'] | 'test' }[]
  readonly sent: { readonly url: string; readonly body: string }[]
}

/** In a world, the process that runs pipelines. */
export interface Runner {
  readonly app: App
  readonly surroundings: Surroundings
  /** The rehearsed documents. */
  readonly documents: readonly [LiveDocument, ...LiveDocument[]]
  /** What unfinished runs are doing; null if that has not changed since the last call. */
  does(): Promise<Doing | null>
  /** The runs for which it has seen an event since it began. */
  readonly submitted: ReadonlySet<string>
  /** What `audience plan` would say about the first document now: how many steps have each action. */
  plan(inputs: JsonObject): Promise<PlanSummary>
  /** Uses these documents from now on. */
  replace(documents: readonly LiveDocument[]): void
  /** Reports that something has changed in a folder. */
  touched(folder: string): void
  /** Ends the process immediately, like SIGKILL: nothing in it continues or is reported. */
  kill(): void
}

export async function startRunner(deps: {
  time: VirtualTime
  project: Project
  state: string
  service: { url: string; token: string }
  process: MachineProcess
  connect: (clock: WorldClock) => WorldNetwork
  caught: Caught
  log: Logger
  random: () => number
  lists: Surroundings['lists']
  onExchange: ((exchange: Exchange, beganAt: number) => void) | undefined
}): Promise<Runner> {
  const { project, caught, log, random, lists, onExchange } = deps
  const clock = deps.time.clock()
  const network = deps.connect(clock)
  const listeners = new Set<FolderListener>()
  const settings = settingsIn(deps)
  const surroundings: Surroundings = {
    clock,
    random,
    lists,
    connect: network.connect,
    machine: deps.process.machine,
    disk: worldDisk(),
    watchFolders: (listener) => {
      listeners.add(listener)
      return { add: () => undefined, remove: () => undefined, close: async () => void listeners.delete(listener) }
    },
    async post(url, { body }) {
      caught.sent.push({ url: url.href, body })
      return { status: 204, ok: true, headers: { get: () => null }, body: null }
    },
  }
  const secrets = createSecrets()
  const all = project.documents(settings)
  const pipelines = new Map<string, Pipeline>(all.map(({ pipeline }) => [pipeline.name, pipeline]))
  // Through a proxy, requests would leave the world.
  const env = Object.fromEntries(Object.entries(project.env).filter(([name]) => !PROXY_VARIABLES.includes(name)))
  const appDeps = { settings, surroundings, env, log, secrets, notice: () => undefined }
  const app = await openApp({
    ...appDeps,
    maxRuns: settings.maxRuns,
    // Parking changes only how much memory and time a run takes, and a world is far from the limit of runs.
    unparked: Math.floor(settings.maxRuns / 4),
    takes: 'all',
    readsHere: true,
    onExchange: (exchange) => onExchange?.(exchange, clock.now() - exchange.durationMs),
    version: 'rehearsal',
  })
  const { engine, state } = app
  const unattended = new UnattendedRuns({ engine, runs: state.runs })
  // After any event, a run may begin to rest or stop resting, and a poll may find something.
  let mayRest = true
  const submitted = new Set<string>()
  engine.watch((event) => {
    mayRest = true
    deps.time.stir()
    submitted.add(event.runId)
  })
  const duties = await startDuties(byName(all), {
    settings,
    surroundings,
    env,
    app,
    pipelines,
    log,
    unattended,
    // Nobody reads the metrics of a rehearsal.
    metrics: { onOccurrence: () => undefined, onNotification: () => undefined },
    channels: channelNames(settings).map((name) => catching(name, caught)),
    pings: undefined,
    optOuts: { troubles: () => [] },
    isWell: async () => true,
  })
  engine.start()
  return {
    app,
    surroundings,
    documents: all,
    async does() {
      if (!mayRest) return null
      mayRest = false
      return doingOf(state.runs)
    },
    submitted,
    plan: (inputs) =>
      withPlanner(appDeps, async ({ runs, forecast, lastSuccess }) => {
        const [{ pipeline, folder }] = all
        const last = await lastSuccess(pipeline.name)
        const steps = await planPipeline({
          pipeline,
          inputs,
          cwd: folder,
          stepTypes,
          forecast,
          profile: settings.profileName,
          env: visibleEnv(pipeline, env),
          last: last?.outputs,
          guards: await planGuards(pipeline, runs),
        })
        const summary = planSummary(steps)
        const counted = COUNTED_ACTIONS.flatMap((action) =>
          summary[action] ? [[action, summary[action]] as const] : [],
        )
        return Object.fromEntries(counted)
      }),
    replace: (documents) => duties.replace(byName(documents)),
    touched(folder) {
      for (const listener of listeners) listener.changed(folder)
    },
    kill() {
      clock.kill()
      network.cut()
      deps.process.end()
    },
  }
}

function byName(documents: readonly LiveDocument[]): ReadonlyMap<string, LiveDocument> {
  return new Map(documents.map((document) => [document.pipeline.name, document]))
}

function catching(name: string, { notified }: Caught): Channel {
  return {
    name,
    async send({ event }) {
      notified.push({ channel: name, event })
      return { state: 'delivered', answer: 'caught' }
    },
  }
}

/**
 * The disk of the watched folders of a world. Whoever changes a file reports the change. Folders have no modification
 * time, because the clock of the file system moves in ticks of a few milliseconds, and days may pass in a world within
 * one tick. New folders have numbered names instead of random ones, and a listing is sorted by name.
 */
function worldDisk(): Disk {
  let folders = 0
  const mkdtemp = async (prefix: string): Promise<string> => {
    const folder = prefix + (++folders).toString(36).padStart(6, '0')
    try {
      await localDisk.mkdir(folder, { mode: 0o700 })
      return folder
    } catch (error) {
      // An earlier process of this world made the folder.
      if (codeOf(error) === 'EEXIST') return mkdtemp(prefix)
      throw error
    }
  }
  const readdir = async (path: PathLike, options?: { withFileTypes: true }) => {
    const found: (string | Dirent)[] = options ? await localDisk.readdir(path, options) : await localDisk.readdir(path)
    return found.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  }
  const stat = async (path: PathLike) => {
    const stats = await localDisk.stat(path)
    return stats.isDirectory() ? Object.assign(stats, { mtimeMs: 0 }) : stats
  }
  // The cast is needed because each of these functions has more overloads than are used here.
  return { ...localDisk, ...({ mkdtemp, readdir, stat } as Pick<Disk, 'mkdtemp' | 'readdir' | 'stat'>) }
}

function nameOf(entry: string | Dirent): string {
  return typeof entry === 'string' ? entry : entry.name
}
