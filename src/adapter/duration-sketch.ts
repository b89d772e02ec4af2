/** Older durations are forgotten: a service changes, and the memory stays small. */
const KEPT = 50
/** With fewer, nothing is said. */
const ENOUGH = 5

/** How long the latest jobs of an operation took. */
export class DurationSketch {
  readonly #latestMs: number[] = []
  #next = 0

  add(durationMs: number): void {
    this.#latestMs[this.#next] = durationMs
    this.#next = (this.#next + 1) % KEPT
  }

  /** What a tenth of them, and at least one, did not exceed; undefined while too few are known. */
  shortestTenthMs(): number | undefined {
    const count = this.#latestMs.length
    if (count < ENOUGH) return undefined
    return this.#latestMs.toSorted((a, b) => a - b)[Math.ceil(count / 10) - 1]
  }
}
