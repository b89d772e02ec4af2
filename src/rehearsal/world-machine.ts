import type { Machine } from '../platform/machine.ts'

/** A process of a world, as other processes see it. */
export interface MachineProcess {
  readonly machine: Machine
  /** Ends the process, and with it its leases. */
  end(): void
}

/** The machine on which all processes of a world run. */
export class WorldMachine {
  readonly #steady: () => number
  readonly #running = new Set<number>()
  #started = 0

  constructor(steady: () => number) {
    this.#steady = steady
  }

  start(): MachineProcess {
    const pid = ++this.#started
    this.#running.add(pid)
    return {
      machine: {
        host: 'world',
        boot: 'world',
        processes: 'world',
        pid,
        startedAt: undefined,
        steady: this.#steady,
        isRunning: (other) => this.#running.has(other),
      },
      end: () => void this.#running.delete(pid),
    }
  }
}

/** Returns the same ids in the same order in each world. */
export function countedIds(): () => string {
  let last = 0
  return () => (++last).toString(16).padStart(24, '0')
}

/** Mulberry32: numbers in [0, 1) that look random and are the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
