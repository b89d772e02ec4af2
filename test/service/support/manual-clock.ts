import type { Clock } from '../../../src/core/clock.ts'

export interface ManualClock extends Clock {
  /** Lets time pass and wakes who slept until then. */
  advance(ms: number): void
}

/** A clock that stands still until a test moves it. */
export function createManualClock(start = Date.UTC(2026, 0, 15)): ManualClock {
  let now = start
  const sleepers = new Set<{ at: number; wake: () => void }>()
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { at: now + ms, wake: resolve }
        const abort = () => {
          sleepers.delete(sleeper)
          reject(signal?.reason)
        }
        if (signal?.aborted) return abort()
        signal?.addEventListener('abort', abort, { once: true })
        sleepers.add(sleeper)
      }),
    advance(ms) {
      now += ms
      for (const sleeper of sleepers) {
        if (sleeper.at > now) continue
        sleepers.delete(sleeper)
        sleeper.wake()
      }
    },
  }
}
