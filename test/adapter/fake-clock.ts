import type { SteadyClock } from '../../src/core/clock.ts'
import { systemClock } from '../../src/platform/clock.ts'

export interface FakeClock extends SteadyClock {
  /** Every requested sleep, in milliseconds. */
  readonly sleeps: number[]
  /** Advances the time; a negative value sets the wall clock back. */
  advance(ms: number): void
}

/** A clock without waiting: a sleep advances it and ends immediately. */
export function fakeClock(startMs = Date.UTC(2026, 0, 31)): FakeClock {
  let nowMs = startMs
  let steadyMs = 0
  const sleeps: number[] = []
  return {
    sleeps,
    now: () => nowMs,
    steady: () => steadyMs,
    timer: systemClock.timer,
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      sleeps.push(ms)
      nowMs += ms
      steadyMs += ms
    },
    advance(ms) {
      nowMs += ms
      steadyMs += Math.max(0, ms)
    },
  }
}
