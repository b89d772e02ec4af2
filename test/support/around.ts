import { systemClock } from '../../src/platform/clock.ts'
import { thisMachine } from '../../src/platform/machine.ts'
import type { StateAround } from '../../src/state/state.ts'

/** The surroundings of a state that this process opens: the system's clock and this machine. */
export const around: StateAround = { clock: systemClock, machine: thisMachine() }

/** The same at a given time, in milliseconds since 1970. */
export function aroundAt(now: () => number): StateAround {
  return { ...around, clock: { ...systemClock, now } }
}
