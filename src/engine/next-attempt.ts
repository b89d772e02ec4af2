import type { Clock } from '../core/clock.ts'
import { AudienceError, type Outcome, type RequestFailure } from '../core/errors.ts'
import type { RetryPolicy, RetryReason } from '../core/pipeline.ts'

/** An attempt that failed. */
export interface FailedAttempt {
  readonly attempt: number
  readonly error: unknown
  /** Whether it had announced a write that must not be sent twice. */
  readonly announced: boolean
}

/**
 * When to make the next attempt, in milliseconds since 1970, and whether it goes on from the effects of this one; or
 * undefined when there is none. The delay grows by `backoff` and has full jitter. After an announced write a fresh attempt
 * is made only where the failure says that the write did not happen or came to nothing.
 */
export function nextAttempt(
  policy: RetryPolicy | undefined,
  { attempt, error, announced }: FailedAttempt,
  means: { readonly clock: Clock; readonly random: () => number },
): { readonly retryAt: number; readonly keepsEffects?: true } | undefined {
  if (!policy || attempt >= policy.maxAttempts) return undefined
  const reason = reasonOf(error, announced)
  if (!reason || !policy.on.includes(reason)) return undefined
  const delayMs = Math.min(policy.maxDelayMs, policy.delayMs * policy.backoff ** (attempt - 1))
  const keeps = announced && (reason === 'timeout' || reason === 'expectation')
  return { retryAt: means.clock.now() + Math.round(delayMs * means.random()), ...(keeps && { keepsEffects: true }) }
}

function reasonOf(error: unknown, announced: boolean): RetryReason | undefined {
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
  }
  const outcome = outcomeOf(error)
  // Reading again, or writing what may be written again, is harmless.
  if (outcome === 'unknown') return announced ? undefined : 'unavailable'
  return error.kind === 'unavailable' || outcome === 'notSent' ? 'unavailable' : outcome
}

function outcomeOf(error: AudienceError): Outcome | undefined {
  return 'request' in error ? (error.request as RequestFailure).outcome : undefined
}
