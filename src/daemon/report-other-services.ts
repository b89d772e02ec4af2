import type { Logger } from 'pino'
import type { Clock } from '../core/clock.ts'
import { describeService, isOfService, type ServiceRef } from '../core/service-ref.ts'
import type { Journal } from '../state/journal.ts'

const LOOK_EVERY_MS = 60_000

/**
 * Logs which runs this process does not work on because they belong to another service: at the start, and whenever runs
 * of a further service appear. Resolves when `signal` aborts.
 */
export async function reportOtherServices(deps: {
  readonly journal: Pick<Journal, 'unfinishedServices'>
  readonly here: ServiceRef
  readonly clock: Clock
  readonly log: Logger
  readonly signal: AbortSignal
}): Promise<void> {
  const { journal, here, clock, log, signal } = deps
  let reported = new Set<string>()
  while (!signal.aborted) {
    const others = othersIn(journal, here)
    for (const other of others) {
      const name = describeService(other)
      if (reported.has(name)) continue
      log.warn(
        { runs: other.runs, runId: other.oldestRunId, service: name, here: describeService(here) },
        'runs belong to another service than this daemon works with, and are left alone: start a daemon with that service, or see `audience runs resume --help`',
      )
    }
    reported = new Set(others.map(describeService))
    await clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined)
  }
}

function othersIn(journal: Pick<Journal, 'unfinishedServices'>, here: ServiceRef) {
  try {
    return journal.unfinishedServices().filter((service) => !isOfService(service, here))
  } catch {
    // If the state cannot be read, the checks of /readyz report it.
    return []
  }
}
