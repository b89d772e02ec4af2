import type { SteadyClock, Timer } from '../core/clock.ts'

/** Times in milliseconds. */
export interface SilenceLimits {
  /** From the end of the request to the first byte of the answer. */
  readonly headersTimeoutMs: number
  /** Between two parts of the answer. */
  readonly bodyTimeoutMs: number
}

/**
 * Tells of an answer that is silent for too long, by a clock, with the errors of undici. For a process in a world whose time
 * leaps: undici itself looks at the time of the machine, by which a slow machine would decide.
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

  /** The request is out, and nothing of its answer has come. */
  begin(): void {
    if (this.#hasBegun) return
    this.#waiting = this.#timer(this.#limits.headersTimeoutMs, () => this.#tell(HEADERS_TIMEOUT()))
  }

  /** A part of the answer has come. */
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
