/** Time as an argument, so that tests and the service's control API can hold it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** A clock for durations as well. */
export interface SteadyClock extends Clock {
  /**
   * Milliseconds since some moment of this process. Clock steps do not change it. Use it to measure and limit
   * durations.
   */
  steady(): number
}
