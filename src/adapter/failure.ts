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
