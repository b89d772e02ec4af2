import type { SteadyClock } from '../core/clock.ts'
import type { StoredRecord } from '../core/run.ts'

/** A difference of at least this much between the wall clock and the steady clock is a clock step. */
const STEP_MS = 1000

/**
 * The time that this process uses for its runs: milliseconds since 1970 by the wall clock at the start. Later changes
 * to that clock do not affect it. Records carry wall-clock time, which people read and other processes use. Deadlines
 * and durations use this timeline.
 */
export class Timeline {
  readonly #clock: SteadyClock
  readonly #origin: number
  /** How far the wall clock is ahead, and since which wall-clock time. */
  readonly #steps: { readonly from: number; readonly aheadMs: number }[] = []
  /** The wall clock's last reading. */
  #latest = Number.NEGATIVE_INFINITY

  constructor(clock: SteadyClock) {
    this.#clock = clock
    this.#origin = clock.now() - clock.steady()
  }

  now(): number {
    return this.wall() - this.#aheadMs
  }

  /** The wall clock's current time: the time of a record. */
  wall(): number {
    const wall = this.#clock.now()
    const aheadMs = Math.round(wall - this.#origin - this.#clock.steady())
    if (Math.abs(aheadMs - this.#aheadMs) >= STEP_MS) this.#steps.push({ from: wall, aheadMs })
    this.#latest = wall
    return wall
  }

  /** A record with its times converted to this process's timeline. */
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
   * After a step back, the wall clock shows some times twice. The later occurrence is used, so that nothing times out
   * too early. A future time, from a clock that was ahead, counts as now.
   */
  #lived(wall: number): number {
    // This is the usual case: a new record, and the clock was never set. It saves two reads of the clock per record.
    if (wall === this.#latest && this.#steps.length === 0) return wall
    const step = this.#steps.findLast(({ from }) => from <= wall)
    return Math.min(wall - (step?.aheadMs ?? 0), this.now())
  }
}
