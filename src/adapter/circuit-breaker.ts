/** Consecutive failures after which nothing is sent for a while. */
const FAILURES_TO_OPEN = 10
const FIRST_OPEN_MS = 5_000
const LONGEST_OPEN_MS = 60_000

/**
 * Spares a service that is down, and the caller the time-outs: after ten failures in a row it lets nothing through for 5 s,
 * then one attempt as a probe; each probe that fails doubles the pause, up to a minute.
 */
export class CircuitBreaker {
  #failures = 0
  #openMs = FIRST_OPEN_MS
  /** Until when nothing is let through; 0 while closed. */
  #openUntil = 0
  #probing = false
  #lastFailure = ''

  /** Milliseconds until an attempt may be made; 0 lets this one through. */
  admit(now: () => number): number {
    if (this.#openUntil === 0) return 0
    const nowMs = now()
    if (nowMs < this.#openUntil) return this.#openUntil - nowMs
    // This one is the probe; until it is known, the others wait.
    this.#openUntil = nowMs + this.#openMs
    this.#probing = true
    return 0
  }

  /** Why it is open. */
  get reason(): string {
    return `${this.#failures} failures in a row, the last: ${this.#lastFailure}`
  }

  /** The service answered, whatever it said. */
  answered(): void {
    this.#failures = 0
    this.#openUntil = 0
    this.#openMs = FIRST_OPEN_MS
    this.#probing = false
  }

  failed(nowMs: number, reason: string): void {
    this.#lastFailure = reason
    if (this.#probing) this.#openMs = Math.min(LONGEST_OPEN_MS, this.#openMs * 2)
    // What was under way when it opened says nothing new.
    else if (this.#openUntil !== 0) return
    this.#failures += 1
    if (this.#failures < FAILURES_TO_OPEN) return
    this.#probing = false
    this.#openUntil = nowMs + this.#openMs
  }
}
