import { formatTimeLimit } from './format/duration-text.ts'
/** Time as an argument, so that tests and the service's control API can stop it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /**
   * Resolves after `ms`; rejects with the signal's reason if the signal aborts first. The caller has nothing to do
   * before `dueMs`, which is `ms` by default. So a clock that leaps need not wake the caller before then: see `look`.
   */
  sleep(ms: number, signal?: AbortSignal, dueMs?: number): Promise<void>
}

/** The `dueMs` of a sleeper that only polls, because nothing is ever due for it. */
export const NEVER = Number.POSITIVE_INFINITY

/** A clock that also measures durations and sets alarms. */
export interface SteadyClock extends Clock {
  /**
   * Milliseconds since a fixed moment in the life of this process. A change of the clock does not affect it. Use it to
   * measure and limit durations.
   */
  steady(): number
  /** Rings after `ms`. Unlike a sleeper, a timer keeps no process alive. */
  timer(ms: number, ring: () => void): Timer
}

export interface Timer {
  /** Starts again, even after it has rung. */
  refresh(): void
  cancel(): void
}

/**
 * Waits before the next poll for changes that nobody signals. Ends immediately if the signal aborts. A caller that
 * knows when something is due gives `dueMs`, so that a clock that leaps need not wake it before then.
 */
export async function look(clock: Clock, ms: number, signal: AbortSignal, dueMs = NEVER): Promise<void> {
  await clock.sleep(ms, signal, dueMs).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

/**
 * Waits until one of these promises settles, but no longer than `ms`. Rejects if the promise that settles first
 * rejects.
 */
export async function atMost(
  ms: number,
  waits: readonly Promise<unknown>[],
  clock: Pick<Clock, 'sleep'>,
): Promise<void> {
  const over = new AbortController()
  const time = clock.sleep(ms, over.signal).catch(() => undefined)
  await Promise.race([...waits, time]).finally(() => over.abort())
}

/**
 * Does work that may take up to `ms`. After that time, the signal of the work aborts and the result rejects with a
 * `TimeoutError`. If `signal` aborts first, the same happens, but with its reason.
 */
export async function within<T>(
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  { clock, signal }: { clock: Pick<SteadyClock, 'timer'>; signal?: AbortSignal },
): Promise<T> {
  signal?.throwIfAborted()
  const late = new AbortController()
  const limited = signal ? AbortSignal.any([signal, late.signal]) : late.signal
  const over = Promise.withResolvers<never>()
  const stop = () => over.reject(limited.reason)
  limited.addEventListener('abort', stop)
  const timer = clock.timer(ms, () =>
    late.abort(new DOMException(`it took longer than ${formatTimeLimit(ms)}`, 'TimeoutError')),
  )
  try {
    return await Promise.race([work(limited), over.promise])
  } finally {
    timer.cancel()
    limited.removeEventListener('abort', stop)
  }
}
