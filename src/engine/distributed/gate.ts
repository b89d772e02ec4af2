/** Lets at most `max` runs be inside at a time. `inside` counts the runs that are inside already. */
export class Gate {
  readonly #max: () => number
  readonly #inside: () => number
  readonly #waiting: (() => void)[] = []
  /** How many runs were let in but are not counted by `inside` yet. */
  #entering = 0

  constructor(max: () => number, inside: () => number) {
    this.#max = max
    this.#inside = inside
  }

  /** Waits until there is room, then does the work that brings a run in. */
  async enter<T>(work: () => Promise<T>): Promise<T> {
    while (this.#inside() + this.#entering >= this.#max())
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#entering += 1
    try {
      return await work()
    } finally {
      this.#entering -= 1
      this.hasRoom()
    }
  }

  /** Must be called when the number of runs inside may have changed. */
  hasRoom(): void {
    this.#waiting.shift()?.()
  }
}
