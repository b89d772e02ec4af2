import { setTimeout as sleep } from 'node:timers/promises'
import type { SteadyClock } from '../../../src/core/clock.ts'
import { systemClock } from '../../../src/platform/clock.ts'

/** A clock that runs `factor` times as fast as real time, so that windows of seconds pass in milliseconds. */
export function fastClock(factor: number): SteadyClock {
  const start = performance.now()
  return {
    now: () => Date.UTC(2026, 0, 31) + (performance.now() - start) * factor,
    steady: () => performance.now() * factor,
    timer: (ms, ring) => systemClock.timer(ms / factor, ring),
    async sleep(ms, signal) {
      try {
        await sleep(ms / factor, undefined, signal && { signal })
      } catch (error) {
        throw signal?.aborted ? signal.reason : error
      }
    },
  }
}
