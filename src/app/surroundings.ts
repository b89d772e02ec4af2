import type { SteadyClock } from '../core/clock.ts'
import { systemClock } from '../platform/clock.ts'

/** What a process has from outside: time and chance. */
export interface Surroundings {
  readonly clock: SteadyClock
  /** From 0 (included) to 1 (not included). */
  readonly random: () => number
}

/** Those of this machine. */
export const systemSurroundings: Surroundings = { clock: systemClock, random: Math.random }
