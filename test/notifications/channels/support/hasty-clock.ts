import type { SteadyClock } from '../../../../src/core/clock.ts'
import { systemClock } from '../../../../src/platform/clock.ts'

/** A clock by which a limit of so long is over after a moment. */
export function hastyClock(limitMs: number): SteadyClock {
  return { ...systemClock, timer: (ms, ring) => systemClock.timer(ms === limitMs ? 20 : ms, ring) }
}
