const FIRST_DELAY_MS = 1000
const LONGEST_DELAY_MS = 30_000

/**
 * The runs that a process owns but does not work on, because a record could not be written or resuming failed, and when
 * to retry: with growing delays, so that a full disk is not retried all the time.
 */
export class StuckRuns {
  readonly #attempts = new Map<string, { delayMs: number; nextAt: number }>()
  #ids: readonly string[] = []

  /** As of the last look. */
  get ids(): readonly string[] {
    return this.#ids
  }

  /** Records which runs are stuck now; returns those to retry now. `now` is steady, in milliseconds. */
  due(ids: readonly string[], now: number): readonly string[] {
    this.#ids = ids
    const due = ids.filter((runId) => (this.#attempts.get(runId)?.nextAt ?? now) <= now)
    for (const runId of due) {
      const before = this.#attempts.get(runId)?.delayMs
      const delayMs = before === undefined ? FIRST_DELAY_MS : Math.min(LONGEST_DELAY_MS, 2 * before)
      this.#attempts.set(runId, { delayMs, nextAt: now + delayMs })
    }
    this.#forgetBefore(now - 2 * LONGEST_DELAY_MS)
    return due
  }

  /** A run that gets stuck again soon after it was resumed keeps its delay. */
  #forgetBefore(at: number): void {
    for (const [runId, { nextAt }] of this.#attempts) if (nextAt < at) this.#attempts.delete(runId)
  }
}
