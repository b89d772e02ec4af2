import type { SteadyClock } from '../core/clock.ts'
import type { StoredRecord } from '../core/run.ts'

/** From how much on a difference between the wall clock and the steady one is a step. */
const STEP_MS = 1000

/**
 * The time in which this process lives its runs: milliseconds since 1970 as the wall clock had them at the start, without
 * its steps since then. Records carry the time of the wall clock, which is what people read and what another process goes
 * by; deadlines and durations are those of this time.
 */
export class Timeline {
  readonly #clock: SteadyClock
  readonly #origin: number
  /** By how much the wall clock is ahead, from which of its times on. */
  readonly #steps: { readonly from: number; readonly aheadMs: number }[] = []

  constructor(clock: SteadyClock) {
    this.#clock = clock
    this.#origin = clock.now() - clock.steady()
  }

  now(): number {
    return this.wall() - this.#aheadMs
  }

  /** What the wall clock says now: the time of a record. */
  wall(): number {
    const wall = this.#clock.now()
    const aheadMs = Math.round(wall - this.#origin - this.#clock.steady())
    if (Math.abs(aheadMs - this.#aheadMs) >= STEP_MS) this.#steps.push({ from: wall, aheadMs })
    return wall
  }

  /** A record with the times at which this process lived it, or would have. */
  lived(stored: StoredRecord): StoredRecord {
    const at = this.#lived(stored.at)
    if (at === stored.at) return stored
    const { record } = stored
    if (record.type !== 'attempt.failed') return { ...stored, at }
    return { ...stored, at, record: { ...record, retryAt: record.retryAt - stored.at + at } }
  }

  get #aheadMs(): number {
    return this.#steps.at(-1)?.aheadMs ?? 0
  }

  /**
   * After a step back a time of the wall clock comes twice; the later one is meant, so that nothing is out of time too
   * soon. A time to come, of a clock that was ahead, is now.
   */
  #lived(wall: number): number {
    const step = this.#steps.findLast(({ from }) => from <= wall)
    return Math.min(wall - (step?.aheadMs ?? 0), this.now())
  }
}
