/** Limits how many runs are inside at a time to `max`. `inside` counts those that are in already. */
export class Gate {
  readonly #max: () => number
  readonly #inside: () => number
  readonly #waiting: (() => void)[] = []
  /** Those that were let in and are not counted as inside yet. */
  #entering = 0

  constructor(max: () => number, inside: () => number) {
    this.#max = max
    this.#inside = inside
  }

  /** Does the work that brings something in, once there is room. */
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

  /** The number inside may have changed. */
  hasRoom(): void {
    this.#waiting.shift()?.()
  }
}
