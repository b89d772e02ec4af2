import type { TransportError } from './exchange.ts'
import type { Failure } from './failure.ts'

/** The failure of an attempt that got no answer: `notSent` only if the request was not sent completely. */
export function failureOfTransport(error: TransportError, signal: AbortSignal | undefined): Failure {
  const outcome = error.sent ? 'unknown' : 'notSent'
  if (error.aborted) return { ...abortFailure(signal), outcome }
  const detail = error.message === error.code ? error.code : `${error.message} (${error.code})`
  return { code: error.begun ? 'connection-lost' : 'unreachable', outcome, detail, hint: error.hint, cause: error }
}

/**
 * The failure of an attempt that did not begin because the caller's signal had aborted. A timeout signal means a
 * deadline.
 */
export function abortFailure(signal: AbortSignal | undefined): Failure {
  const reason: unknown = signal?.reason
  const timedOut = reason instanceof Error && reason.name === 'TimeoutError'
  return { code: timedOut ? 'deadline-exceeded' : 'aborted', outcome: 'notSent', cause: reason }
}
