import type { Machine } from '../platform/machine.ts'

/** A process of a world, as the others see it. */
export interface WorldProcess {
  readonly machine: Machine
  /** It is gone, and so are its leases. */
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

  start(): WorldProcess {
    const pid = ++this.#started
    this.#running.add(pid)
    return {
      machine: {
        ...{ host: 'world', boot: 'world', processes: 'world', pid },
        startedAt: undefined,
        steady: this.#steady,
        isRunning: (other) => this.#running.has(other),
      },
      end: () => void this.#running.delete(pid),
    }
  }
}
