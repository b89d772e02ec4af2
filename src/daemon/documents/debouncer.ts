import { type Clock, look } from '../../core/clock.ts'

/**
 * How long a folder must be undisturbed before it counts as quiet, because editors and git write many files, each in
 * pieces.
 */
const QUIET_MS = 300
/** The longest wait for quiet if something happens all the time. */
const MAX_WAIT_MS = 5000

/** Waits until disturbances have stopped. */
export class Debouncer {
  readonly #clock: Clock
  readonly #signal: AbortSignal
  readonly #quietMs: number
  readonly #maxWaitMs: number
  #disturbances = 0
  #wake: () => void = () => undefined

  constructor(clock: Clock, signal: AbortSignal, { quietMs = QUIET_MS, maxWaitMs = MAX_WAIT_MS } = {}) {
    this.#clock = clock
    this.#signal = signal
    this.#quietMs = quietMs
    this.#maxWaitMs = maxWaitMs
  }

  disturb(): void {
    this.#disturbances += 1
    this.#wake()
  }

  /**
   * Resolves when it is quiet again after a disturbance, or after `longestMs` without a disturbance. The result is
   * false once the signal has aborted.
   */
  async next(longestMs: number): Promise<boolean> {
    if (this.#disturbances === 0) await this.#pause(longestMs)
    let seen = 0
    // The waits are added up instead of reading a clock, because a clock may jump.
    for (let waitedMs = 0; seen !== this.#disturbances && waitedMs < this.#maxWaitMs; waitedMs += this.#quietMs) {
      seen = this.#disturbances
      await look(this.#clock, this.#quietMs, this.#signal, this.#quietMs)
    }
    this.#disturbances = 0
    return !this.#signal.aborted
  }

  /** Ends after `ms`, or at a disturbance. */
  async #pause(ms: number): Promise<void> {
    const waking = new AbortController()
    this.#wake = () => waking.abort()
    await look(this.#clock, ms, AbortSignal.any([waking.signal, this.#signal]), ms)
    this.#wake = () => undefined
  }
}
