import type { Clock } from '../core/clock.ts'

/** So long nothing has to happen: editors and git write many files, and each in pieces. */
const QUIET_MS = 300
/** Where something happens all the time, that is long enough. */
const MAX_WAIT_MS = 5000

/** Tells when things have calmed down after they were disturbed. */
export class Quiet {
  readonly #clock: Clock
  readonly #signal: AbortSignal
  #disturbances = 0
  #wake: () => void = () => undefined

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock
    this.#signal = signal
  }

  disturb(): void {
    this.#disturbances += 1
    this.#wake()
  }

  /** Resolves when it is quiet after a disturbance, or when there was none for so long; with false once the signal aborts. */
  async next(longestMs: number): Promise<boolean> {
    if (this.#disturbances === 0) await this.#pause(longestMs)
    let seen = 0
    // Counted and not measured: a clock may jump.
    for (let waitedMs = 0; seen !== this.#disturbances && waitedMs < MAX_WAIT_MS; waitedMs += QUIET_MS) {
      seen = this.#disturbances
      await this.#sleep(QUIET_MS, this.#signal)
    }
    this.#disturbances = 0
    return !this.#signal.aborted
  }

  /** Until the time is over, or it is disturbed. */
  async #pause(ms: number): Promise<void> {
    const waking = new AbortController()
    this.#wake = () => waking.abort()
    await this.#sleep(ms, AbortSignal.any([waking.signal, this.#signal]))
    this.#wake = () => undefined
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    await this.#clock.sleep(ms, signal).catch(() => undefined)
  }
}
