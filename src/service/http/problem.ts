import type { FastifyReply } from 'fastify'
import { stringifyJson } from '../../core/json.ts'
import { PROBLEMS, type ProblemName, Refusal } from '../api-error.ts'
import { sendText } from './send-text.ts'

const MEDIA_TYPE = 'application/problem+json'

/** The body of an error: RFC 9457, with the list of problems in `errors` (decision 135). */
function problemBody({ problem, message, items }: Refusal, requestId: string): string {
  return stringifyJson({
    type: `urn:audience-data-service:problem:${problem}`,
    title: PROBLEMS[problem].title,
    status: PROBLEMS[problem].status,
    detail: message,
    instance: `urn:uuid:${requestId}`,
    errors: items.length > 0 ? items.map((item) => ({ ...item })) : undefined,
  })
}

export function sendProblem(reply: FastifyReply, error: Refusal): FastifyReply {
  const { id } = reply.request
  reply.code(PROBLEMS[error.problem].status).headers({ ...error.headers, 'x-request-id': id })
  return sendText(reply, MEDIA_TYPE, problemBody(error, id))
}

/** Sends a problem with a status that the service itself never uses. The problem has no details about the request. */
export function sendFaultProblem(reply: FastifyReply, status: number): FastifyReply {
  const body = { type: 'urn:audience-data-service:problem:fault', title: 'A fault rule caused this answer', status }
  return sendText(reply.code(status), MEDIA_TYPE, stringifyJson(body))
}

/** The complete answer for a connection if its request could not even be read. */
export function rawProblemResponse(error: Refusal, requestId: string): string {
  const { status, title } = PROBLEMS[error.problem]
  const body = problemBody(error, requestId)
  return [
    `HTTP/1.1 ${status} ${title}`,
    `Content-Type: ${MEDIA_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}

/** The refusal that the caller may read; undefined if the thrown error is an internal error. */
export function asApiError(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  if (!(error instanceof Error) || !('code' in error)) return undefined
  const problem = FRAMEWORK_PROBLEMS[String(error.code)]
  return problem && new Refusal(problem, error.message)
}

/** Maps the codes of errors from the framework and from Node to problems. */
const FRAMEWORK_PROBLEMS: Readonly<Record<string, ProblemName>> = {
  FST_ERR_BAD_URL: 'invalid-request',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body-too-large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid-request',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported-media-type',
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
  ECONNRESET: 'invalid-request',
}
