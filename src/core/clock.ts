/** Time as an argument, so that tests and the service's control API can hold it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /**
   * Resolves after `ms`; rejects with the signal's reason when it aborts first. Who only looks around, for changes that
   * nobody signals, says when something is due for it: before `dueMs`, by default `ms`, nothing is, and a clock that leaps
   * may sleep so long.
   */
  sleep(ms: number, signal?: AbortSignal, dueMs?: number): Promise<void>
}

/** For who only looks around: nothing is ever due for it. */
export const NEVER = Number.POSITIVE_INFINITY

/** A clock for durations as well. */
export interface SteadyClock extends Clock {
  /**
   * Milliseconds since some moment of this process. Clock steps do not change it. Use it to measure and limit
   * durations.
   */
  steady(): number
}
