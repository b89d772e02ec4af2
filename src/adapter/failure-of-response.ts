import type { Operation } from '../contract/operation.ts'
import type { Outcome } from '../core/errors.ts'
import { retryAfterMs } from '../core/retry-after.ts'
import type { Redact } from '../core/secrets.ts'
import { maskInIds, maskPersonal } from '../policy/personal-data.ts'
import type { Proof } from './answer-proves.ts'
import { describeErrorBody, type ErrorBody } from './error-body.ts'
import type { WireHeaders, WireResponse } from './exchange.ts'
import type { Failure, FailureCode } from './failure.ts'

/** An `import` of node:http would also load Node's fetch, which adds 30 ms to every start. */
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** The failure that an unsuccessful answer reports. The body may be of any kind (decision 135). */
export function failureOfResponse(
  operation: Operation,
  response: WireResponse,
  context: { nowMs: number; redact: Redact; proof: Proof },
): Failure {
  const { status, headers } = response
  const requestId = requestIdOf(headers, context.redact)
  // The service may repeat the id of the request in its text. That id is not a device id, so it need not be masked.
  const mask = (text: string) => maskPersonal(text, (found) => found === requestId)
  const cleaning = { redact: context.redact, mask }
  const body = describeErrorBody(response.text, cleaning)
  const waitMs = retryAfterMs(headers, context.nowMs)
  const said = status >= 300 && status < 400 ? redirectDetail(status, headers, cleaning) : body.detail
  const detail = response.byProxy ?? said ?? STATUS_CODES[status]
  return {
    code: codeOf(operation, status, body),
    outcome: outcomeOf(operation, status, context.proof),
    status,
    detail,
    requestId,
    retryAfterMs: waitMs,
  }
}

/**
 * The failure if a 2xx answer is not what the contract describes. The operation may still have been carried out. `why`
 * says what is wrong with the body, if it is known.
 */
export function failureOfBody(
  { output }: Operation,
  response: WireResponse,
  { redact, why }: { redact: Redact; why?: string | undefined },
): Failure {
  const { headers, text, status, flaw = why } = response
  const requestId = requestIdOf(headers, redact)
  const clean = (value: string) => maskPersonal(redact(value)).slice(0, 200)
  const type = clean(String(headers['content-type'] ?? 'no content type')).slice(0, 100)
  const promised = output === null ? 'no body' : 'JSON'
  const detail =
    flaw === undefined
      ? `the answer is not what the contract promises (${promised}): ${type}, ${text.length} characters`
      : `the answer cannot be used: ${clean(flaw)}`
  return { code: 'bad-answer', outcome: 'unknown', status, detail, requestId }
}

function codeOf(operation: Operation, status: number, body: ErrorBody): FailureCode {
  if (status === 401 || status === 403 || status === 407) return 'access-refused'
  if (status === 429) return 'rate-limited'
  if (status >= 500 || status === 408 || status === 425) return 'service-error'
  // The request had no condition, so 304 is wrong.
  if (status === 304) return 'bad-answer'
  if (status < 400) return 'redirected'
  const mayBeMissing = operation.notFound?.some((missing) => missing === status)
  // A 404 is clear, and so is a 400 in answer to a read by id (decision 138). Any other 400 can mean anything, so its
  // text must also say that something is missing (decision 74).
  const isPlain = status === 404 || operation.method === 'GET'
  return mayBeMissing && (isPlain || body.saysMissing) ? 'not-found' : 'rejected'
}

function outcomeOf({ method }: Operation, status: number, { proves }: Proof): Outcome {
  if (proves === 'notApplied') return 'rejected'
  // A read is not repeated after a redirect that was not followed, or if a proxy requires a login.
  return method === 'GET' && (status < 400 || status === 407) ? 'rejected' : 'unknown'
}

/**
 * The target of a redirect, without the query, which may contain a secret. Its host stays readable, because it may be
 * the correct base URL.
 */
function redirectDetail(
  status: number,
  headers: WireHeaders,
  { redact, mask }: { redact: Redact; mask: (text: string) => string },
): string {
  const { location } = headers
  if (status === 304)
    return 'Not Modified, although the request had no condition: something in between answers from a cache'
  if (typeof location !== 'string' || location.trim() === '')
    return `${STATUS_CODES[status] ?? 'a redirect'} without a Location, so it leads nowhere`
  const url = URL.parse(location)
  // An address such as `file:` has no origin.
  const origin = url && (url.origin === 'null' ? url.protocol : url.origin)
  const clean = (text: string) => mask(redact(text))
  const target = url ? redact(origin ?? '') + clean(url.pathname) : clean(location.replace(/[?#].*$/s, ''))
  return `redirects to ${target.slice(0, 200)}`
}

function requestIdOf(headers: WireHeaders, redact: Redact): string | undefined {
  const id = headers['x-request-id'] ?? headers['request-id'] ?? headers['x-correlation-id']
  return typeof id === 'string' && id !== '' ? maskInIds(redact(id)).slice(0, 100) : undefined
}
