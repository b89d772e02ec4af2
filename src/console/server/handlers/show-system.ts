import { hostname } from 'node:os'
import { isoTime } from '../../../core/iso-time.ts'
import { isOfService, isSynthetic } from '../../../core/service-ref.ts'
import { muteItem } from '../../../state/mutes.ts'
import { type WorkerRow, workerName } from '../../../state/worker-row.ts'
import type { Handler } from '../call.ts'
import type { ConsoleDeps } from '../console-deps.ts'

const MOST_STUCK = 100

export const showMe: Handler<'me.get'> = ({ settings, here, version }, _input, { caller }) => ({
  by: caller.by,
  role: caller.role,
  via: caller.via,
  readOnly: settings.console.readOnly,
  service: here.service,
  synthetic: isSynthetic(here),
  deploys: settings.deployment !== undefined,
  version,
})

/** The processes that work on runs: with a state in a folder, this one. */
export const listWorkers: Handler<'workers.list'> = async (deps) => {
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
}

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

export const listAudit: Handler<'audit.list'> = async ({ state }, { limit = 100, ...filter }) => {
  const entries = await state.audit.list({ ...filter, limit })
  const last = entries.at(-1)
  return {
    entries: entries.map(({ at, ...entry }) => ({ ...entry, at: isoTime(at) })),
    next: entries.length === limit ? last?.id : undefined,
  }
}
