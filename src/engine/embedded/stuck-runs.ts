import { backoffDelay } from '../../core/delays.ts'

const DELAYS = { firstMs: 1000, longestMs: 30_000 } as const

/**
 * The runs that a process owns but does not work on, because a record could not be written or resuming failed, and when
 * to retry: with growing delays, so that a full disk is not retried all the time.
 */
export class StuckRuns {
  readonly #attempts = new Map<string, { count: number; nextAt: number }>()
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
      const count = 1 + (this.#attempts.get(runId)?.count ?? 0)
      this.#attempts.set(runId, { count, nextAt: now + backoffDelay(DELAYS, count) })
    }
    this.#forgetBefore(now - 2 * DELAYS.longestMs)
    return due
  }

  /** A run that gets stuck again soon after it was resumed keeps its delay. */
  #forgetBefore(at: number): void {
    for (const [runId, { nextAt }] of this.#attempts) if (nextAt < at) this.#attempts.delete(runId)
  }
}
