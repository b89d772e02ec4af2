import { type SteadyClock, within } from '../core/clock.ts'
import { isoTime } from '../core/iso-time.ts'
import { parseForeignJson } from '../core/json.ts'
import type { NotReady } from '../daemon/health/readiness.ts'
import type { DaemonState } from '../daemon/lock/daemon-file.ts'
import { boundedText } from '../platform/bounded-text.ts'
import type { WorkerRow } from '../state/worker-row.ts'
import type { DaemonAnswer, DaemonStatus, WorkerStatus } from './status-report.ts'

/** On a busy machine, a healthy daemon may need several seconds. */
const ANSWER_WITHIN_MS = 15_000
const NOTICED_AFTER_MS = 1000
/**
 * The longest answer that is read: room for the problems of several thousand folders and runs. It is limited because
 * another program may answer at the address of a killed daemon.
 */
const MOST_ANSWER_BYTES = 4_000_000

/** What is known about a daemon. If the daemon is running, it is asked. `notice` is called if its answer takes time. */
export async function daemonStatus(
  daemon: DaemonState,
  { clock, notice }: { clock: SteadyClock; notice: (text: string) => void },
): Promise<DaemonStatus> {
  if (daemon.state === 'stopped') return { state: 'stopped' }
  const { state, info } = daemon
  const { url } = info ?? {}
  if (state !== 'running' || url === undefined) return { state, ...info }
  const slow = clock.timer(NOTICED_AFTER_MS, () => notice(`waiting for audience start at ${url} to answer`))
  try {
    return { state, ...info, ...(await askDaemon(url, clock)) }
  } finally {
    slow.cancel()
  }
}

/** The daemon to show if there are many processes: the one that works in this folder, otherwise the keeper. */
export function keeperStatus(workers: readonly WorkerRow[], here: DaemonStatus): DaemonStatus {
  if (here.state === 'running') return here
  const keeper = workers.find((worker) => worker.keeper)
  if (!keeper) return { state: 'stopped' }
  const { pid, host, version, startedAt } = keeper
  return { state: 'running', pid, host, version, startedAt: isoTime(startedAt) }
}

/** Returns a worker without its queue, because the queue is useless to people. */
export function workerStatus({ startedAt, expiresAt, drainingSince, queue: _, ...worker }: WorkerRow): WorkerStatus {
  return {
    ...worker,
    startedAt: isoTime(startedAt),
    expiresAt: isoTime(expiresAt),
    drainingSince: isoTime(drainingSince),
  }
}

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
