import type { SteadyClock } from '../../src/core/clock.ts'
import { systemClock } from '../../src/platform/clock.ts'

/** A clock that stands still until the test lets time pass. */
export interface HeldClock extends SteadyClock {
  /** Lets time pass: each sleeper wakes at its time. */
  pass(ms: number): Promise<void>
  /** How many sleep by it. */
  readonly sleeping: number
}

export function heldClock(start = 1_000_000): HeldClock {
  let time = start
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>()
  return {
    now: () => time,
    steady: () => time,
    timer: systemClock.timer,
    get sleeping() {
      return sleepers.size
    },
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const sleeper = {
          at: time + ms,
          wake() {
            sleepers.delete(sleeper)
            resolve()
          },
        }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper)
          reject(signal.reason)
        })
      })
    },
    async pass(ms) {
      const until = time + ms
      for (;;) {
        await turns()
        const next = [...sleepers].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0]
        if (!next) break
        time = Math.max(time, next.at)
        next.wake()
      }
      time = until
      await turns()
    },
  }
}

/** What follows at once has happened after some turns. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
}
