import type { Clock } from '../core/clock.ts'
import { AudienceError, type Outcome, type RequestFailure } from '../core/errors.ts'
import type { RetryPolicy, RetryReason } from '../core/pipeline.ts'

/**
 * When to make the next attempt, in milliseconds since 1970, or undefined when there is none. The delay grows by
 * `backoff` and has full jitter. A write whose outcome is unknown is never attempted again: that is for reconciling.
 */
export function retryAt(
  policy: RetryPolicy | undefined,
  attempt: number,
  error: unknown,
  means: { clock: Clock; random: () => number },
): number | undefined {
  if (!policy || attempt >= policy.maxAttempts) return undefined
  const reason = reasonOf(error)
  if (!reason || !policy.on.includes(reason)) return undefined
  const delayMs = Math.min(policy.maxDelayMs, policy.delayMs * policy.backoff ** (attempt - 1))
  return means.clock.now() + Math.round(delayMs * means.random())
}

function reasonOf(error: unknown): RetryReason | undefined {
  if (!(error instanceof AudienceError)) return undefined
  const outcome = outcomeOf(error)
  if (outcome === 'unknown') return undefined
  if (error.code === 'job-failed') return 'jobFailed'
  if (error.code === 'expectation-failed') return 'expectation'
  if (error.code === 'timeout' || error.code === 'job-timeout' || error.code === 'approval-timeout') return 'timeout'
  if (error.kind === 'unavailable' || outcome === 'notSent') return 'unavailable'
  return outcome
}

function outcomeOf(error: AudienceError): Outcome | undefined {
  return 'request' in error ? (error.request as RequestFailure).outcome : undefined
}
