import type { Logger } from 'pino'
import type { SteadyClock } from '../../core/clock.ts'
import { messageOf } from '../../core/message-of.ts'
import { repeat } from '../../core/repeat.ts'
import type { RunHistory, RunRow } from '../../state/run-history.ts'
import { createPinger, type Pinger, type SendPing } from './create-pinger.ts'

/** The checks to ping. */
export interface PingPlan {
  /** The check of the daemon, and how often it is pinged. */
  readonly daemon?: { readonly check: string; readonly everyMs: number }
  /** Runs ping the check of their pipeline. */
  readonly pipelines: boolean
  readonly send: SendPing
}

/** How often it looks for runs that have ended. */
const LOOK_MS = 2_000
const LOOK_ROWS = 500
/** A run that ended longer ago is not reported, because the receiver would think that it has just ended. */
const RUN_IS_LATE_MS = 60_000
const DAEMON_IS_LATE_MS = 15_000
/**
 * The first ping comes after this time. So a daemon that is restarted again and again, and never runs for this long,
 * does not look alive.
 */
const FIRST_PING_MS = 60_000

/**
 * Pings a monitor as long as this process is the keeper. A new keeper looks back a minute, so that the end of a run
 * during the change is not lost.
 */
export function startPings(
  plan: PingPlan,
  deps: {
    runs: Pick<RunHistory, 'lastChange' | 'changedSince'>
    /** The pipelines that are loaded. */
    pipelines: Pick<ReadonlySet<string>, 'has'>
    /** Whether all loops run, and the state can be written. */
    isWell: () => Promise<boolean>
    clock: SteadyClock
    log: Pick<Logger, 'info' | 'warn' | 'error'>
  },
): { stop(): Promise<void> } {
  const { clock, log } = deps
  const stopping = new AbortController()
  const pinger = createPinger({ send: plan.send, clock, log })
  const { daemon } = plan
  const failed = (error: unknown) =>
    stopping.signal.aborted || log.error({ error: messageOf(error) }, 'pings cannot be prepared')
  const loop = { clock, signal: stopping.signal, failed }
  if (daemon) {
    const { check, everyMs } = daemon
    void repeat(() => pingDaemon(check), { ...loop, everyMs, firstMs: Math.min(everyMs, FIRST_PING_MS) })
  }
  if (plan.pipelines) void repeat(pingEndedRuns(deps, pinger), { ...loop, everyMs: LOOK_MS })

  async function pingDaemon(check: string): Promise<void> {
    if (!(await deps.isWell())) return
    const at = clock.now()
    pinger.ping({ check, outcome: 'success', at, lateAt: at + DAEMON_IS_LATE_MS })
  }

  return {
    stop() {
      // If the state does not respond when pings stop, the search for ended runs ends without a ping.
      stopping.abort()
      return pinger.stop()
    },
  }
}

/** Looks for runs that have ended since the last time. */
function pingEndedRuns(
  { runs, pipelines, clock }: Pick<Parameters<typeof startPings>[1], 'runs' | 'pipelines' | 'clock'>,
  pinger: Pick<Pinger, 'ping'>,
): () => Promise<void> {
  let seen: number | undefined
  return async () => {
    seen ??= Math.max(0, (await runs.lastChange()) - LOOK_ROWS)
    let rows: readonly RunRow[]
    do {
      const changes = await runs.changedSince(seen, LOOK_ROWS)
      ;({ rows, sequence: seen } = changes)
      for (const { runId, pipeline: check, status, finishedAt: at } of rows) {
        if (at === undefined || (status !== 'succeeded' && status !== 'failed') || !pipelines.has(check)) continue
        const lateAt = at + RUN_IS_LATE_MS
        const outcome = status === 'succeeded' ? 'success' : 'fail'
        if (clock.now() <= lateAt) pinger.ping({ check, outcome, at, lateAt, runId })
      }
    } while (rows.length === LOOK_ROWS)
  }
}
