import type { Logger } from 'pino'
import type { SteadyClock } from '../../core/clock.ts'

/** The ping for a check. */
export interface Ping {
  readonly check: string
  readonly outcome: 'success' | 'fail'
  /** The time that the ping reports. Times are in milliseconds since 1970. */
  readonly at: number
  /** The ping is not sent after this time, because the receiver would mistake its arrival for the time of the event. */
  readonly lateAt: number
  readonly runId?: string
}

/** `again`: the receiver may accept the same ping a little later. */
export type PingResult = 'done' | { readonly problem: string; readonly again: boolean }

/** Sends one ping, within ten seconds. It does not reject, and its problems contain no secrets. */
export type SendPing = (ping: Ping, signal: AbortSignal) => Promise<PingResult>

export type Pinger = ReturnType<typeof createPinger>

/** Monitors drop more frequent pings of one check. */
const APART_MS = 15_000
/** The maximum number of pings that are being sent at once, even if receivers hang. */
const MOST_AT_ONCE = 20
const TICK_MS = 1000

/**
 * Sends the newest ping of each check, at most one per check in 15 seconds. Nothing is stored and nothing is sent late:
 * a ping that cannot be sent in time is dropped.
 */
export function createPinger(deps: { send: SendPing; clock: SteadyClock; log: Pick<Logger, 'info' | 'warn'> }) {
  const { send, clock, log } = deps
  const stopping = new AbortController()
  const waiting = new Map<string, Ping>()
  const sending = new Map<string, Promise<void>>()
  const lastSent = new Map<string, { readonly at: number; readonly sentMs: number }>()
  const problems = new Map<string, string>()

  function sendDue(): void {
    for (const ping of waiting.values()) {
      const { check, lateAt } = ping
      if (clock.now() > lateAt) waiting.delete(check)
      else if (sending.size < MOST_AT_ONCE && !sending.has(check) && !isTooSoon(check)) {
        waiting.delete(check)
        lastSent.set(check, { at: ping.at, sentMs: clock.steady() })
        sending.set(
          check,
          deliver(ping).finally(() => sending.delete(check)),
        )
      }
    }
  }

  function isTooSoon(check: string): boolean {
    const last = lastSent.get(check)
    return last !== undefined && clock.steady() - last.sentMs < APART_MS
  }

  async function deliver(ping: Ping): Promise<void> {
    const result = await send(ping, stopping.signal)
    if (stopping.signal.aborted) return
    note(ping.check, result === 'done' ? undefined : result.problem)
    if (result !== 'done' && result.again && !waiting.has(ping.check)) waiting.set(ping.check, ping)
  }

  /** Each change is logged once. */
  function note(check: string, problem: string | undefined): void {
    if (problems.get(check) === problem) return
    if (problem === undefined) {
      problems.delete(check)
      log.info({ check }, 'the monitor accepts pings again')
    } else {
      problems.set(check, problem)
      log.warn({ check, problem }, 'a ping did not reach the monitor')
    }
  }

  async function repeat(): Promise<void> {
    while (!stopping.signal.aborted) {
      sendDue()
      await clock.sleep(TICK_MS, stopping.signal).catch(() => undefined)
    }
  }
  const looping = repeat()

  return {
    /** Queues a ping, which replaces an older waiting ping of the same check. */
    ping(ping: Ping) {
      const { check, at } = ping
      const newest = waiting.get(check)?.at ?? lastSent.get(check)?.at
      if (newest === undefined || at > newest) waiting.set(check, ping)
    },
    /** How many pings are in memory. */
    held: () => waiting.size + sending.size,
    /** Ends the requests in progress. */
    async stop() {
      stopping.abort()
      await Promise.all([looping, ...sending.values()])
    },
  }
}
