import { AudienceError, type ErrorKind, type RequestFailure } from '../core/errors.ts'
import { PROXY_LOGIN_HINT } from './explain-transport.ts'
import type { Failure } from './failure.ts'

/** A call that failed, with its outcome as far as it is known. Neither it nor its causes contain a secret. */
export class ApiError extends AudienceError {
  override readonly name = 'ApiError'
  readonly request: RequestFailure
  /** How long the service asked the client to wait, in milliseconds, if it did. */
  readonly retryAfterMs: number | undefined

  constructor(request: { operation: string; method: string; path: string }, failure: Failure) {
    const { outcome, status, requestId, detail } = failure
    super({
      code: failure.code,
      kind: kindOf(failure, request.method),
      message: `${request.method} ${request.path} ${sentence(request.method, failure)}`,
      hint: hintFor(request.method, failure),
      cause: failure.cause,
    })
    this.request = { ...request, outcome, status, requestId, detail }
    this.retryAfterMs = failure.retryAfterMs
  }
}

/** Whether a call failed because its target does not exist, however the service reports it (decision 74). */
export function isNotFound(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'not-found'
}

function kindOf({ code, outcome }: Failure, method: string): ErrorKind {
  switch (code) {
    case 'aborted':
      return 'interrupted'
    case 'unreachable':
    case 'circuit-open':
      return 'unavailable'
    case 'access-refused':
    case 'connection-lost':
      // A service that ends its connections is unreachable, too. It may be shutting down, or it may refuse an upload
      // before it has read it. A few microseconds decide whether the connection is refused or lost.
      return outcome === 'unknown' && method !== 'GET' ? 'failed' : 'unavailable'
    default:
      return 'failed'
  }
}

function sentence(method: string, failure: Failure): string {
  const { outcome, status, code } = failure
  const said = [status, failure.detail].filter((part) => part !== undefined).join(' ')
  const what = said === '' ? '' : `: ${said}`
  const open = outcome === 'unknown' && method !== 'GET' ? '; whether it took effect is not known' : ''
  if (code === 'aborted') return `was interrupted${what}${open}`
  if (code === 'deadline-exceeded') return `did not end in time${what}${open}`
  if (outcome === 'notSent') return `could not be sent${what}`
  return outcome === 'rejected' ? `was rejected${what}` : `failed${what}${open}`
}

const ACCESS_HINTS = {
  401: 'check the token of this profile: it is missing, expired, or belongs to another participant',
  403: 'the token is valid but may not do this; ask the service’s operator for access',
  407: PROXY_LOGIN_HINT,
} as const

function hintFor(method: string, failure: Failure): string {
  const isOpen = failure.outcome === 'unknown' && method !== 'GET'
  if (failure.hint !== undefined && !isOpen) return failure.hint
  switch (failure.code) {
    case 'unreachable':
      return 'check that the base URL is right and that the service can be reached from here'
    case 'circuit-open':
      return 'the service has failed many times in a row; try again in a while'
    case 'access-refused':
      return ACCESS_HINTS[failure.status === 403 || failure.status === 407 ? failure.status : 401]
    case 'not-found':
      return 'check the id: what it names does not exist or is not visible to you'
    case 'rate-limited':
      return 'try again later, or lower requestsPerSecond in the profile'
    case 'rejected':
      if (failure.status === 404)
        return 'check the base URL of the profile, its path prefix, and what the request names'
      return 'correct what the service reports, then run again'
    case 'redirected':
      return 'set the base URL to the address that the service answers at'
    case 'aborted':
    case 'deadline-exceeded':
    case 'connection-lost':
    case 'service-error':
    case 'bad-answer':
      return isOpen
        ? 'check in the service whether it took effect before you send it again'
        : 'try again; if it happens again, tell the service’s operator what it said'
  }
}

/** Whether the service itself refused this request, with 400 or 409, whatever the text (decision 144). */
export function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.request.status === 400 || error.request.status === 409)
}
