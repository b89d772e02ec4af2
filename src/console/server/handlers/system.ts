import { hostname } from 'node:os'
import { drainWorker, stateIsFolder, undrainWorker } from '../../../acts/drain-worker.ts'
import { endSession } from '../../../acts/end-session.ts'
import { mutePipelines, unmutePipelines } from '../../../acts/mute-pipelines.ts'
import { isoTime } from '../../../core/iso-time.ts'
import { isOfService, isSynthetic } from '../../../core/service-ref.ts'
import { muteItem } from '../../../state/mutes.ts'
import { type WorkerRow, type Workers, workerName } from '../../../state/worker-row.ts'
import type { ApiHandlers } from '../call.ts'
import type { ConsoleDeps } from '../console-deps.ts'

const MOST_STUCK = 100

export const systemHandlers = {
  'me.get': ({ settings, here, version }, _input, { caller }) => ({
    by: caller.by,
    role: caller.role,
    via: caller.via,
    readOnly: settings.console.readOnly,
    service: here.service,
    synthetic: isSynthetic(here),
    deploys: settings.deployment !== undefined,
    version,
  }),

  /** The processes that work on runs. If the state is in a folder, only this process does. */
  'workers.list': async (deps) => {
    const { state, sharing, here, clock } = deps
    const [counts, mutes, services, checks, workers] = await Promise.all([
      state.outbox.counts(),
      state.mutes.list(clock.now()),
      state.runs.unfinishedServices(),
      deps.notReady(),
      sharing?.workers(),
    ])
    const living = workers?.filter(({ expiresAt }) => expiresAt > clock.now())
    return {
      workers: living?.map((worker) => workerItem(worker, deps)) ?? [thisWorker(deps)],
      checks,
      otherServices: services.filter((service) => !isOfService(service, here)).map((service) => ({ ...service })),
      notifications: { ...counts, mutes: mutes.map(muteItem) },
      problems: deps.problems().map(({ file, messages }) => ({ file, messages })),
    }
  },

  'audit.list': async ({ state }, { limit = 100, ...filter }) => {
    const entries = await state.audit.list({ ...filter, limit })
    const last = entries.at(-1)
    return {
      entries: entries.map(({ at, ...entry }) => ({ ...entry, at: isoTime(at) })),
      next: entries.length === limit ? last?.id : undefined,
    }
  },

  'mutes.add': async (deps, { pipelines, until }, { actor }) => {
    const { state, clock } = deps
    const end = Date.parse(until)
    const loaded = [...deps.documents().keys()]
    const known = { mutes: state.mutes, runs: state.runs, loaded, clock }
    await mutePipelines({ pipelines, until: end }, actor, known)
    return { until: isoTime(end) }
  },

  'mutes.end': ({ state, clock }, { pipelines }, { actor }) =>
    unmutePipelines(pipelines, actor, { mutes: state.mutes, clock }),

  'workers.drain': async (deps, { worker: name }, { actor }) => {
    const { worker } = await drainWorker(name, actor, partsOf(deps))
    return { name: workerName(worker), drainingSince: isoTime(worker.drainingSince ?? deps.clock.now()) }
  },

  'workers.undrain': async (deps, { worker: name }, { actor }) => ({
    name: workerName(await undrainWorker(name, actor, partsOf(deps))),
  }),

  'session.end': async ({ state }, { everywhere = false }, call) => {
    const { session } = call.caller
    const end = session && (() => call.endSession(session, { everywhere }))
    await endSession({ end, everywhere }, call.actor, state.audit)
    return {}
  },
} satisfies Partial<ApiHandlers>

function workerItem(worker: WorkerRow, deps: ConsoleDeps) {
  const { host, pid, version, startedAt, runs, keeper, takes, drainingSince: draining } = worker
  const own = thisWorker(deps)
  const drainingSince = isoTime(draining)
  const shared = { runs, keeper, takes, drainingSince, startedAt: isoTime(startedAt) }
  return own.host === host && own.pid === pid
    ? { ...own, ...shared }
    : { name: workerName(worker), host, pid, version, ...shared }
}

function thisWorker({ engine, version }: ConsoleDeps) {
  const process = { host: hostname(), pid: globalThis.process.pid }
  const startedAt = isoTime(performance.timeOrigin)
  const stuck = engine.stuck().slice(0, MOST_STUCK)
  return { name: workerName(process), ...process, version, startedAt, ...engine.load(), stuck }
}

function partsOf({ state, settings, clock }: ConsoleDeps): { readonly workers: Workers; readonly now: () => number } {
  if (state.workers) return { workers: state.workers, now: clock.now }
  throw stateIsFolder(settings)
}
