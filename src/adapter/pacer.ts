import type { SteadyClock } from '../core/clock.ts'

interface Waiting {
  readonly start: () => void
  readonly stop: (reason: unknown) => void
}

/**
 * Shares one service between all calls of a client. At most `concurrency` calls run at a time, in order of arrival. If
 * there is a rate, calls are evenly spaced. No call starts during a pause that the service asked for (decision 11).
 */
export class Pacer {
  readonly #clock: SteadyClock
  readonly #concurrency: number
  readonly #intervalMs: number
  readonly #closing: AbortSignal
  readonly #queue: Waiting[] = []
  #active = 0
  #nextAt = 0
  #pausedUntil = 0

  constructor(
    clock: SteadyClock,
    limits: { concurrency: number; requestsPerSecond?: number | undefined },
    closing: AbortSignal,
  ) {
    this.#clock = clock
    this.#closing = closing
    closing.addEventListener('abort', () => this.#stopAll(), { once: true })
    this.#concurrency = limits.concurrency
    this.#intervalMs = limits.requestsPerSecond === undefined ? 0 : 1000 / limits.requestsPerSecond
  }

  /**
   * Takes a slot. Returns undefined if it got one immediately. Rejects, without taking a slot, if the signal aborts
   * first or the client is closed.
   */
  enter(signal: AbortSignal | undefined): Promise<void> | undefined {
    const free = this.#active < this.#concurrency && this.#queue.length === 0
    if (free && this.#intervalMs === 0 && this.#pausedUntil === 0) {
      this.#active += 1
      return undefined
    }
    return this.#enterLater(free, signal)
  }

  leave(): void {
    const next = this.#queue.shift()
    if (next) next.start()
    else this.#active -= 1
  }

  /** Lets nothing start before `atMs`. */
  pauseUntil(atMs: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, atMs)
  }

  async #enterLater(free: boolean, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    this.#closing.throwIfAborted()
    if (free) this.#active += 1
    else await this.#place(signal)
    if (this.#intervalMs === 0 && this.#pausedUntil === 0) return
    try {
      await this.#turn(signal ? AbortSignal.any([this.#closing, signal]) : this.#closing)
    } catch (reason) {
      this.leave()
      throw reason
    }
  }

  /** Waits for a slot that another call leaves. `leave` hands the slot over, so the count does not change. */
  #place(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#queue.splice(this.#queue.indexOf(waiting), 1)
        reject(signal?.reason)
      }
      const waiting: Waiting = {
        start: () => {
          signal?.removeEventListener('abort', abort)
          resolve()
        },
        stop: (reason) => {
          signal?.removeEventListener('abort', abort)
          reject(reason)
        },
      }
      signal?.addEventListener('abort', abort, { once: true })
      this.#queue.push(waiting)
    })
  }

  #stopAll(): void {
    for (const waiting of this.#queue.splice(0)) waiting.stop(this.#closing.reason)
  }

  async #turn(stop: AbortSignal): Promise<void> {
    const now = this.#clock.steady()
    const at = Math.max(now, this.#nextAt, this.#pausedUntil)
    this.#nextAt = at + this.#intervalMs
    if (at > now) await this.#clock.sleep(at - now, stop)
    // The pause may have been extended in the meantime.
    for (
      let left = this.#pausedUntil - this.#clock.steady();
      left > 0;
      left = this.#pausedUntil - this.#clock.steady()
    ) {
      await this.#clock.sleep(left, stop)
    }
    this.#pausedUntil = 0
  }
}
