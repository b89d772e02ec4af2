import type { SteadyClock } from '../../src/core/clock.ts'
import { systemClock } from '../../src/platform/clock.ts'

export interface FakeClock extends SteadyClock {
  /** Every sleep that was asked for, in milliseconds. */
  readonly sleeps: number[]
  /** Lets time pass; less than nothing sets the wall clock back. */
  advance(ms: number): void
}

/** A clock on which nobody waits: a sleep moves it on and is over. */
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
