import { systemClock } from '../../src/platform/clock.ts'
import { thisMachine } from '../../src/platform/machine.ts'
import type { StateAround } from '../../src/state/state.ts'

/** This process opens a state, at its own time. */
export const around: StateAround = { clock: systemClock, machine: thisMachine() }

/** The same at a given time, in milliseconds since 1970. */
export function aroundAt(now: () => number): StateAround {
  return { ...around, clock: { ...systemClock, now } }
}
