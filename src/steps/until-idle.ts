import type { SteadyClock } from '../core/clock.ts'
import { pollDelay } from '../core/delays.ts'
import { type AudienceError, failedError } from '../core/errors.ts'

const DELAYS = { shortestMs: 500, longestMs: 30_000 } as const

/**
 * The result of one check: either a job on `what` is still running, or no job is running and `value` is what is known.
 */
export type IdleLook<T> =
  | { readonly state: 'busy'; readonly what: string }
  | { readonly state: 'idle'; readonly value: T }

/** Polls until no job is running, because an earlier run may have stopped waiting for one. Throws `job-timeout`. */
export async function untilIdle<T>(
  look: () => Promise<IdleLook<T>>,
  maxWaitMs: number,
  { clock, signal }: { clock: SteadyClock; signal: AbortSignal },
): Promise<T> {
  const startedAt = clock.steady()
  for (;;) {
    const seen = await look()
    if (seen.state === 'idle') return seen.value
    const waitedMs = clock.steady() - startedAt
    if (waitedMs >= maxWaitMs) throw stillBusy(seen.what)
    await clock.sleep(pollDelay(waitedMs, DELAYS), signal)
  }
}

function stillBusy(what: string): AudienceError {
  return failedError(
    'job-timeout',
    `an earlier job on ${what} has not ended`,
    'the job continues; run again later, or give the step a longer timeout in await',
  )
}
