/** Lets in at most `max` runs at a time. `inside` counts the runs that are already in. */
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

  /** Waits until there is room, then does the work that lets a run in. */
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

  /** Call this when the number of runs that are in may have changed. */
  hasRoom(): void {
    this.#waiting.shift()?.()
  }
}
