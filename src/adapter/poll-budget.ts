/**
 * At most so many polls in any second, in bursts where there was a lull; of a share of a poll, one in as many seconds as it
 * takes. Remembers when the latest began.
 */
export class PollBudget {
  readonly #windowMs: number
  readonly #begunAt: Float64Array
  #oldest = 0

  constructor(pollsPerSecond: number) {
    this.#begunAt = new Float64Array(Math.max(1, Math.floor(pollsPerSecond))).fill(Number.NEGATIVE_INFINITY)
    this.#windowMs = Math.max(1000, 1000 / pollsPerSecond)
  }

  /** From when on the next poll may begin. */
  get freeAt(): number {
    return (this.#begunAt[this.#oldest] ?? 0) + this.#windowMs
  }

  spend(nowMs: number): void {
    this.#begunAt[this.#oldest] = nowMs
    this.#oldest = (this.#oldest + 1) % this.#begunAt.length
  }
}
