import type { Outcome } from '../core/errors.ts'

export type FailureCode =
  | 'unreachable'
  | 'connection-lost'
  | 'aborted'
  | 'deadline-exceeded'
  | 'circuit-open'
  | 'access-refused'
  | 'not-found'
  | 'rate-limited'
  | 'rejected'
  | 'redirected'
  | 'service-error'
  | 'bad-answer'

/** Why one attempt failed, and its outcome. */
export interface Failure {
  readonly code: FailureCode
  readonly outcome: Outcome
  readonly status?: number
  /** The message from the service or the connection, in one short line without the token. */
  readonly detail?: string
  /** What to do next, if the code alone does not say it. */
  readonly hint?: string | undefined
  readonly requestId?: string
  readonly retryAfterMs?: number
  readonly cause?: unknown
}

/**
 * The failure of an attempt that did not begin because a signal had aborted. A timeout signal means that the deadline
 * has passed.
 */
export function abortFailure(signal: AbortSignal | undefined): Failure {
  const reason: unknown = signal?.reason
  const timedOut = reason instanceof Error && reason.name === 'TimeoutError'
  return { code: timedOut ? 'deadline-exceeded' : 'aborted', outcome: 'notSent', cause: reason }
}
