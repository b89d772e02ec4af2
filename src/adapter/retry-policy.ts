import type { RepeatRule } from '../contract/operation.ts'
import { backoffDelay } from '../core/delays.ts'
import type { Failure } from './failure.ts'

export interface RetryLimits {
  /** The maximum number of attempts for a call. */
  readonly maxAttempts: number
  /** How long after the start of a call another attempt may begin, in milliseconds. */
  readonly totalMs: number
  /** The backoff before the second attempt, in milliseconds. It doubles with each further attempt. */
  readonly baseDelayMs: number
  readonly maxDelayMs: number
}

export const DEFAULT_RETRY: RetryLimits = {
  maxAttempts: 5,
  totalMs: 120_000,
  baseDelayMs: 250,
  maxDelayMs: 15_000,
}

export interface AttemptState {
  /** The number of the failed attempt, from 1. */
  readonly attempt: number
  readonly elapsedMs: number
  readonly repeat: RepeatRule
  /** Whether another token has already been tried after a 401. */
  readonly renewed: boolean
}

export type RetryDecision = { readonly state: 'again'; readonly delayMs: number } | { readonly state: 'giveUp' }

/**
 * Decides whether another attempt follows a failed one, and when (docs/decisions.md, "Repeating a write"). An attempt
 * is repeated only if it certainly had no effect, or if repeating it does not change the result. The caller reconciles
 * everything else. The delay is the time that the service asked for plus a backoff with full jitter (decision 11).
 */
export function decideRetry(
  failure: Failure,
  state: AttemptState,
  limits: RetryLimits,
  random: () => number,
): RetryDecision {
  if (failure.status === 401) return state.renewed ? { state: 'giveUp' } : { state: 'again', delayMs: 0 }
  if (state.attempt >= limits.maxAttempts || !mayRepeat(failure, state.repeat)) return { state: 'giveUp' }
  const { baseDelayMs: firstMs, maxDelayMs: longestMs } = limits
  const delayMs = (failure.retryAfterMs ?? 0) + random() * backoffDelay({ firstMs, longestMs }, state.attempt)
  return state.elapsedMs + delayMs > limits.totalMs ? { state: 'giveUp' } : { state: 'again', delayMs }
}

function mayRepeat({ code, outcome, status }: Failure, repeat: RepeatRule): boolean {
  if (code === 'aborted' || code === 'deadline-exceeded') return false
  if (outcome === 'notSent') return true
  if (outcome === 'unknown') return code !== 'redirected' && (repeat === 'always' || repeat === 'contentAddressed')
  return status === 429 || status === 503
}
