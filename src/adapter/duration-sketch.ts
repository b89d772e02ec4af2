/** How many durations are kept. Older ones are dropped, because a service changes and because memory is limited. */
const KEPT = 50
/** With fewer durations, there is no estimate. */
const ENOUGH = 5

/** The durations of the latest jobs of an operation. */
export class DurationSketch {
  readonly #latestMs: number[] = []
  #next = 0

  add(durationMs: number): void {
    this.#latestMs[this.#next] = durationMs
    this.#next = (this.#next + 1) % KEPT
  }

  /** The time within which a tenth of the jobs, and at least one, ended; undefined while too few are known. */
  shortestTenthMs(): number | undefined {
    const count = this.#latestMs.length
    if (count < ENOUGH) return undefined
    return this.#latestMs.toSorted((a, b) => a - b)[Math.ceil(count / 10) - 1]
  }
}
