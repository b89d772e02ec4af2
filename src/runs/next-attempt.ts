import type { Clock } from '../core/clock.ts'
import { backoffDelay } from '../core/delays.ts'
import { AudienceError, type RequestFailure } from '../core/errors.ts'
import type { RetryPolicy, RetryReason } from '../core/pipeline.ts'
import { reportError } from '../core/report-error.ts'
import { keepsEffects } from './keeps-effects.ts'

/** An attempt that failed. */
export interface FailedAttempt {
  readonly attempt: number
  readonly error: unknown
  /** The operations of the writes that it had announced. They must not be sent twice. */
  readonly announced: readonly string[]
}

/**
 * When to make the next attempt, in milliseconds since 1970, and whether it continues from the effects of this one;
 * undefined if there is no next attempt. The delay grows by `backoff` and has full jitter. A failure after an announced
 * write, such as a failed read of the job's result, is retried without repeating the write (`keepsEffects`).
 */
export function nextAttempt(
  policy: RetryPolicy | undefined,
  { attempt, error, announced }: FailedAttempt,
  deps: { clock: Clock; random: () => number },
): { readonly retryAt: number; readonly keepsEffects?: true } | undefined {
  if (!policy || attempt >= policy.maxAttempts) return undefined
  const isAfterWrite = announced.length > 0 && !announced.includes(requestOf(error)?.operation ?? '')
  const reason = reasonOf(error, isAfterWrite)
  if (!reason || !policy.on.includes(reason)) return undefined
  if (announced.length > 0 && !isAfterWrite && requestOf(error)?.outcome === 'unknown') return undefined
  const { delayMs: firstMs, maxDelayMs: longestMs, backoff: factor } = policy
  const delayMs = backoffDelay({ firstMs, longestMs, factor }, attempt)
  const keeps = keepsEffects(reportError(error), announced)
  return { retryAt: deps.clock.now() + Math.round(delayMs * deps.random()), keepsEffects: keeps || undefined }
}

function reasonOf(error: unknown, isAfterWrite: boolean): RetryReason | undefined {
  if (!(error instanceof AudienceError)) return undefined
  switch (error.code) {
    case 'job-failed':
      return 'jobFailed'
    case 'expectation-failed':
      return 'expectation'
    case 'timeout':
    case 'job-timeout':
    case 'approval-timeout':
      return 'timeout'
    // A read that failed, although each of its requests was answered (decision 152).
    case 'list-not-still':
      return 'unavailable'
  }
  const outcome = requestOf(error)?.outcome
  // The result of a job may appear only later, and reading again is harmless.
  if (outcome === 'unknown' || (isAfterWrite && LATE.includes(error.code))) return 'unavailable'
  return error.kind === 'unavailable' || outcome === 'notSent' ? 'unavailable' : outcome
}

/** The service does not (yet) show what it has begun or created. */
const LATE: readonly string[] = ['not-found', 'job-unknown', 'job-without-id', 'made-other']

function requestOf(error: unknown): RequestFailure | undefined {
  return error instanceof AudienceError && 'request' in error ? (error.request as RequestFailure) : undefined
}
