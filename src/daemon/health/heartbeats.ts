import type { SteadyClock } from '../../core/clock.ts'

export interface Stall {
  readonly loop: string
  readonly silentMs: number
  readonly boundMs: number
}

/**
 * The heartbeats of a daemon's loops. Like `performance.now`, `steadyMs` never goes back and does not depend on the date, so setting the clock does not
 * make any loop look stalled.
 */
export function createHeartbeats(steadyMs: () => number) {
  const loops = new Map<string, { readonly boundMs: number; lastMs: number }>()
  return {
    /**
     * Registers a loop with the longest time it may be silent. Call the returned function in each round. Registering
     * counts as the first beat.
     */
    loop(name: string, boundMs: number) {
      const loop = { boundMs, lastMs: steadyMs() }
      loops.set(name, loop)
      return () => {
        loop.lastMs = steadyMs()
      }
    },
    /** The loops that have been silent for longer than allowed. */
    stalled(): readonly Stall[] {
      const now = steadyMs()
      return [...loops].flatMap(([loop, { boundMs, lastMs }]) =>
        now - lastMs > boundMs ? [{ loop, silentMs: Math.round(now - lastMs), boundMs }] : [],
      )
    },
  }
}

/** The clock for a loop that sleeps between its rounds: it beats each time the loop goes to sleep. */
export function beatingClock(clock: SteadyClock, beat: () => void): SteadyClock {
  return {
    ...clock,
    sleep(ms, signal, dueMs) {
      beat()
      return clock.sleep(ms, signal, dueMs)
    },
  }
}
