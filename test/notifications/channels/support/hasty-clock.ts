import type { SteadyClock } from '../../../../src/core/clock.ts'
import { systemClock } from '../../../../src/platform/clock.ts'

/** A clock on which a limit of this length passes after a moment. */
export function hastyClock(limitMs: number): SteadyClock {
  return { ...systemClock, timer: (ms, ring) => systemClock.timer(ms === limitMs ? 20 : ms, ring) }
}
