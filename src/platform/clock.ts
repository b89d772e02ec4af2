import { setTimeout as sleep } from 'node:timers/promises'
import type { SteadyClock } from '../core/clock.ts'

/** Node's timers take at most 31 bits of milliseconds. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The clock of this machine. */
export const systemClock: SteadyClock = {
  now: () => Date.now(),
  steady: () => Math.round(performance.now()),
  async sleep(ms, signal) {
    let rest = Math.max(0, ms)
    do {
      await sleepOnce(Math.min(rest, LONGEST_TIMER_MS), signal)
      rest -= LONGEST_TIMER_MS
    } while (rest > 0)
  },
  timer(ms, ring) {
    const timer = setTimeout(ring, Math.min(ms, LONGEST_TIMER_MS)).unref()
    return { refresh: () => void timer.refresh(), cancel: () => clearTimeout(timer) }
  },
}

async function sleepOnce(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, undefined, signal && { signal })
  } catch (error) {
    throw signal?.aborted ? signal.reason : error
  }
}
