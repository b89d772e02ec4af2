import type { Logger } from 'pino'
import type { Clock } from '../core/clock.ts'
import { describeService, isOfService, type ServiceRef } from '../core/service-ref.ts'
import type { RunHistory } from '../state/run-history.ts'

const LOOK_EVERY_MS = 60_000

/**
 * Logs which runs this process does not work on because they belong to another service: at the start, and whenever runs
 * of another service appear. Resolves when `signal` aborts.
 */
export async function reportOtherServices(deps: {
  runs: Pick<RunHistory, 'unfinishedServices'>
  here: ServiceRef
  clock: Clock
  log: Logger
  signal: AbortSignal
}): Promise<void> {
  const { runs, here, clock, log, signal } = deps
  let reported = new Set<string>()
  while (!signal.aborted) {
    const others = await othersIn(runs, here)
    for (const other of others) {
      const name = describeService(other)
      if (reported.has(name)) continue
      log.warn(
        { runs: other.runs, runId: other.oldestRunId, service: name, here: describeService(here) },
        'runs belong to a service other than the daemon’s, so it leaves them alone: start a daemon with that service, or see `audience runs resume --help`',
      )
    }
    reported = new Set(others.map(describeService))
    await clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined)
  }
}

async function othersIn(runs: Pick<RunHistory, 'unfinishedServices'>, here: ServiceRef) {
  try {
    return (await runs.unfinishedServices()).filter((service) => !isOfService(service, here))
  } catch {
    // If the state cannot be read, the checks of /readyz report it.
    return []
  }
}
