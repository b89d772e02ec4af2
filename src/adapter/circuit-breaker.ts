/** The number of failures in a row after which nothing is sent for a while. */
const FAILURES_TO_OPEN = 10
const FIRST_OPEN_MS = 5_000
const LONGEST_OPEN_MS = 60_000

/**
 * Stops requests to a service that is down, so that the service can recover and callers need not wait for timeouts.
 * After ten failures in a row it lets nothing through for 5 s, then one attempt as a probe. Each failed probe doubles
 * the pause, up to a minute.
 */
export class CircuitBreaker {
  #failures = 0
  #openMs = FIRST_OPEN_MS
  /** No attempt is let through before this time; 0 while closed. */
  #openUntil = 0
  #probing = false
  #lastFailure = ''

  /** Returns how many milliseconds remain until an attempt may be made; 0 lets this attempt through. */
  admit(now: () => number): number {
    if (this.#openUntil === 0) return 0
    const nowMs = now()
    if (nowMs < this.#openUntil) return this.#openUntil - nowMs
    // This attempt is the probe. The others wait for its result.
    this.#openUntil = nowMs + this.#openMs
    this.#probing = true
    return 0
  }

  /** Why the breaker is open. */
  get reason(): string {
    return `${this.#failures} failures in a row, the last: ${this.#lastFailure}`
  }

  /** Call this after any answer from the service. */
  answered(): void {
    this.#failures = 0
    this.#openUntil = 0
    this.#openMs = FIRST_OPEN_MS
    this.#probing = false
  }

  failed(nowMs: number, reason: string): void {
    this.#lastFailure = reason
    if (this.#probing) this.#openMs = Math.min(LONGEST_OPEN_MS, this.#openMs * 2)
    // Attempts that were in progress when the breaker opened give no new information.
    else if (this.#openUntil !== 0) return
    this.#failures += 1
    if (this.#failures < FAILURES_TO_OPEN) return
    this.#probing = false
    this.#openUntil = nowMs + this.#openMs
  }
}
