import type { SteadyClock } from '../../src/core/clock.ts'
import { systemClock } from '../../src/platform/clock.ts'

/** A clock that stands still until the test advances it. */
export interface HeldClock extends SteadyClock {
  /** Advances the clock: each sleeper wakes at its time. */
  pass(ms: number): Promise<void>
  /** The number of sleepers. */
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

/** After some turns of the event loop, the immediate consequences have happened. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
}
