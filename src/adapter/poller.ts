import { look, type SteadyClock } from '../core/clock.ts'
import { type Due, DueHeap } from '../core/due-heap.ts'

/** Something that takes time to finish, such as a job. */
export interface Polled<T> {
  /** Checks the state. A rejection also ends the polling. */
  look(): Promise<PollResult<T>>
}

export type PollResult<T> =
  | { readonly state: 'settled'; readonly value: T }
  | { readonly state: 'again'; readonly delayMs: number }

export interface PollLimits {
  readonly perSecond: number
  /** The maximum number of polls in progress at a time. */
  readonly concurrency: number
}

interface Wait<T> extends Due {
  readonly polled: Polled<T>
  readonly resolve: (value: T) => void
  readonly reject: (reason: unknown) => void
  /** Ends the wait early; undefined once it has ended. */
  abort: (() => void) | undefined
  readonly signal: AbortSignal | undefined
}

/**
 * Polls many things within one budget, the most overdue first. It does not know what they are. Each one is an entry of
 * a heap. The only timer is for the next poll.
 */
export class Poller<T> {
  readonly #clock: SteadyClock
  readonly #now: () => number
  readonly #budget: PollBudget
  readonly #concurrency: number
  readonly #closing: AbortSignal
  readonly #due = new DueHeap<Wait<T>>()
  readonly #looking = new Set<Wait<T>>()
  #timer: { readonly at: number; readonly stop: AbortController } | undefined

  constructor(clock: SteadyClock, { perSecond, concurrency }: PollLimits, closing: AbortSignal) {
    this.#clock = clock
    this.#now = () => clock.steady()
    this.#budget = new PollBudget(perSecond)
    this.#concurrency = concurrency
    this.#closing = closing
    closing.addEventListener('abort', () => this.#stopAll(), { once: true })
  }

  /**
   * Polls immediately, and again after the delay that each poll asks for, or later if the budget requires it. Rejects
   * with the reason of the abort when the signal aborts or the client is closed.
   */
  poll(polled: Polled<T>, signal: AbortSignal | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const stopped = [this.#closing, signal].find((each) => each?.aborted)
      if (stopped) return reject(stopped.reason)
      const abort = () => this.#stop(wait, signal?.reason)
      const wait: Wait<T> = { polled, resolve, reject, signal, abort, dueAt: this.#now(), place: undefined }
      signal?.addEventListener('abort', abort, { once: true })
      this.#due.add(wait)
      this.#goOn()
    })
  }

  /** Starts all polls that are due and within the limits, and sets the timer for the next poll. */
  #goOn(): void {
    // If all slots are taken, this continues when a poll ends.
    while (this.#looking.size < this.#concurrency) {
      const wait = this.#due.first
      if (!wait) break
      const nowMs = this.#now()
      const at = Math.max(wait.dueAt, this.#budget.freeAt)
      if (at > nowMs) {
        this.#setTimer(at, nowMs)
        break
      }
      this.#due.remove(wait)
      this.#budget.spend(nowMs)
      this.#look(wait)
    }
    if (!this.#due.first) this.#clearTimer()
  }

  #look(wait: Wait<T>): void {
    this.#looking.add(wait)
    const looked = (note: () => void) => {
      this.#looking.delete(wait)
      if (wait.abort) note()
      this.#goOn()
    }
    wait.polled.look().then(
      (look) => looked(() => this.#note(wait, look)),
      (error: unknown) => looked(() => this.#stop(wait, error)),
    )
  }

  #note(wait: Wait<T>, look: PollResult<T>): void {
    if (look.state === 'settled') {
      this.#release(wait)
      wait.resolve(look.value)
    } else {
      wait.dueAt = this.#now() + look.delayMs
      this.#due.add(wait)
    }
  }

  #stop(wait: Wait<T>, reason: unknown): void {
    this.#release(wait)
    this.#due.remove(wait)
    if (!this.#due.first) this.#clearTimer()
    wait.reject(reason)
  }

  #stopAll(): void {
    const { reason } = this.#closing
    for (const wait of [...this.#due.drain(), ...this.#looking]) this.#stop(wait, reason)
  }

  #release(wait: Wait<T>): void {
    if (wait.abort) wait.signal?.removeEventListener('abort', wait.abort)
    wait.abort = undefined
  }

  /** Keeps the current timer if it fires early enough. When it fires, it sets the next one. */
  #setTimer(at: number, nowMs: number): void {
    if (this.#timer && this.#timer.at <= at) return
    this.#clearTimer()
    const timer = { at, stop: new AbortController() }
    this.#timer = timer
    const ms = at - nowMs
    void look(this.#clock, ms, timer.stop.signal, ms).then(() => {
      if (this.#timer !== timer) return
      this.#timer = undefined
      this.#goOn()
    })
  }

  #clearTimer(): void {
    this.#timer?.stop.abort('not needed any more')
    this.#timer = undefined
  }
}

/**
 * Allows at most `pollsPerSecond` polls in any second; after a quiet period, they may all start at the same time. A
 * rate below one allows one poll every `1 / pollsPerSecond` seconds. Remembers when the latest polls began.
 */
class PollBudget {
  readonly #windowMs: number
  readonly #begunAt: Float64Array
  #oldest = 0

  constructor(pollsPerSecond: number) {
    this.#begunAt = new Float64Array(Math.max(1, Math.floor(pollsPerSecond))).fill(Number.NEGATIVE_INFINITY)
    this.#windowMs = Math.max(1000, 1000 / pollsPerSecond)
  }

  /** When the next poll may begin. */
  get freeAt(): number {
    return (this.#begunAt[this.#oldest] ?? 0) + this.#windowMs
  }

  spend(nowMs: number): void {
    this.#begunAt[this.#oldest] = nowMs
    this.#oldest = (this.#oldest + 1) % this.#begunAt.length
  }
}
