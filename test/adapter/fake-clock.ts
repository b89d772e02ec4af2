import type { Clock } from '../../src/core/clock.ts'

export interface FakeClock extends Clock {
  /** Every sleep that was asked for, in milliseconds. */
  readonly sleeps: number[]
  advance(ms: number): void
}

/** A clock on which nobody waits: a sleep moves it on and is over. */
export function fakeClock(startMs = Date.UTC(2026, 0, 31)): FakeClock {
  let nowMs = startMs
  const sleeps: number[] = []
  return {
    sleeps,
    now: () => nowMs,
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      sleeps.push(ms)
      nowMs += ms
    },
    advance(ms) {
      nowMs += ms
    },
  }
}
