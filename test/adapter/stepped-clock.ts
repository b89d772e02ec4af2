import type { SteadyClock } from '../../src/core/clock.ts'
import { systemClock } from '../../src/platform/clock.ts'

export interface SteppedClock extends SteadyClock {
  /** How many sleep now. */
  readonly sleeping: number
  /** The largest number of sleepers at the same time. */
  readonly mostSleeping: number
  /** Wakes all sleepers that are due by this time, earliest first, and lets them work. */
  moveTo(ms: number): Promise<void>
  /** Sets the time, as a person does. This does not change how long sleepers sleep. */
  set(ms: number): void
}

/** A clock that starts at 0 and moves when the test says so. */
export function steppedClock(): SteppedClock {
  let nowMs = 0
  let setMs = 0
  let mostSleeping = 0
  const sleepers = new Set<{ at: number; wake: () => void }>()
  return {
    now: () => nowMs,
    steady: () => nowMs - setMs,
    timer: systemClock.timer,
    get sleeping() {
      return sleepers.size
    },
    get mostSleeping() {
      return mostSleeping
    },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { at: nowMs + ms, wake: resolve }
        sleepers.add(sleeper)
        mostSleeping = Math.max(mostSleeping, sleepers.size)
        const abort = () => {
          sleepers.delete(sleeper)
          reject(signal?.reason)
        }
        signal?.addEventListener('abort', abort, { once: true })
      }),
    async moveTo(toMs) {
      await settled()
      for (;;) {
        const [next] = [...sleepers].filter(({ at }) => at <= toMs).sort((a, b) => a.at - b.at)
        if (!next) break
        sleepers.delete(next)
        nowMs = Math.max(nowMs, next.at)
        next.wake()
        await settled()
      }
      nowMs = toMs
    },
    set(ms) {
      for (const sleeper of sleepers) sleeper.at += ms - nowMs
      setMs += ms - nowMs
      nowMs = ms
    },
  }
}

/** Resolves when everything that was ready has been done. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
