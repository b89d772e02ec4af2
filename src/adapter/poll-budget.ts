/**
 * Allows at most `pollsPerSecond` polls in any second, in bursts after a lull. A rate below one allows one poll in `1 /
 * pollsPerSecond` seconds. It remembers when the latest polls began.
 */
export class PollBudget {
  readonly #windowMs: number
  readonly #begunAt: Float64Array
  #oldest = 0

  constructor(pollsPerSecond: number) {
    this.#begunAt = new Float64Array(Math.max(1, Math.floor(pollsPerSecond))).fill(Number.NEGATIVE_INFINITY)
    this.#windowMs = Math.max(1000, 1000 / pollsPerSecond)
  }

  /** When the next poll may begin. */
  get freeAt(): number {
    return (this.#begunAt[this.#oldest] ?? 0) + this.#windowMs
  }

  spend(nowMs: number): void {
    this.#begunAt[this.#oldest] = nowMs
    this.#oldest = (this.#oldest + 1) % this.#begunAt.length
  }
}
