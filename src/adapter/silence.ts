import type { SteadyClock, Timer } from '../core/clock.ts'

/** Times in milliseconds. */
export interface SilenceLimits {
  /** The longest time from the end of the request to the first byte of the answer. */
  readonly headersTimeoutMs: number
  /** The longest time between two parts of the answer. */
  readonly bodyTimeoutMs: number
}

/**
 * Reports an answer that stalls for too long by a given clock, with the same errors as undici. A process in a world
 * needs this, because time in the world jumps while undici uses the machine's clock, so a slow machine would change the
 * result.
 */
export class Silence {
  readonly #limits: SilenceLimits
  readonly #timer: SteadyClock['timer']
  readonly #tell: (error: Error) => void
  #waiting: Timer | undefined
  #hasBegun = false

  constructor(limits: SilenceLimits, timer: SteadyClock['timer'], tell: (error: Error) => void) {
    this.#limits = limits
    this.#timer = timer
    this.#tell = tell
  }

  /** Call this when the request has been sent but no part of the answer has arrived yet. */
  begin(): void {
    if (this.#hasBegun) return
    this.#waiting = this.#timer(this.#limits.headersTimeoutMs, () => this.#tell(HEADERS_TIMEOUT()))
  }

  /** Call this when a part of the answer has arrived. */
  heard(): void {
    if (this.#hasBegun) this.#waiting?.refresh()
    else {
      this.#hasBegun = true
      this.#waiting?.cancel()
      this.#waiting = this.#timer(this.#limits.bodyTimeoutMs, () => this.#tell(BODY_TIMEOUT()))
    }
  }

  end(): void {
    this.#waiting?.cancel()
  }
}

const HEADERS_TIMEOUT = () => Object.assign(new Error('Headers Timeout Error'), { code: 'UND_ERR_HEADERS_TIMEOUT' })
const BODY_TIMEOUT = () => Object.assign(new Error('Body Timeout Error'), { code: 'UND_ERR_BODY_TIMEOUT' })
