import { AudienceError } from '../core/errors.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { MASK } from '../core/secrets.ts'
import { answerProves, type Proof } from './answer-proves.ts'
import type { CallOptions } from './api-client.ts'
import { exchange, TransportError, type WireHeaders, type WireResponse } from './exchange.ts'
import { abortFailure, type Failure } from './failure.ts'
import { failureOfBody, failureOfResponse } from './failure-of-response.ts'
import { MOST_PAGE_BYTES } from './list-page.ts'
import type { RequestPlan } from './request-plan.ts'
import { TOKEN_UNAVAILABLE } from './tokens.ts'
import type { Transport } from './transport.ts'
import { openUpload, type UploadRequest } from './upload.ts'

/** A shorter token may be a word that occurs in an answer by chance. */
const SHORTEST_UNMISTAKABLE = 16

/** The request of a call. Each attempt sends it, and opens the file of an upload again. */
export interface PreparedCall extends Pick<CallOptions, 'signal' | 'beforeSend' | 'pipeline'> {
  readonly plan: RequestPlan
  readonly input: JsonObject
  /** Relative to the base URL, without the query. */
  readonly path: string
  readonly query: string
  readonly body: string | undefined
  readonly upload: UploadRequest | undefined
}

export type AttemptResult =
  | { readonly state: 'done'; readonly value: Json | undefined; readonly headers: WireHeaders }
  | { readonly state: 'failed'; readonly failure: Failure }

const MAX_REDIRECTS = 5
/** The statuses with which the service answers a read of a missing resource (decision 138). */
const SAYS_MISSING: readonly number[] = [400, 404]

/**
 * Makes one attempt, within the limits that all calls share, and returns its result. Throws only if the attempt cannot
 * have taken effect and repeating it is useless: there is no token, or the file cannot be read.
 */
export async function attempt(transport: Transport, call: PreparedCall): Promise<AttemptResult> {
  const { clock, breaker, pacer, token: tokens } = transport
  const { signal } = call
  const closedForMs = breaker.admit(clock.steady)
  if (closedForMs > 0) {
    return failed({ code: 'circuit-open', outcome: 'notSent', detail: breaker.reason, retryAfterMs: closedForMs })
  }
  const turn = pacer.enter(signal)
  if (turn) {
    const stopped = await turn.then(
      () => undefined,
      () => abortFailure(signal),
    )
    if (stopped) return failed(stopped)
  }
  try {
    const token = tokens.get()
    return await sendAndTell(transport, call, typeof token === 'string' ? token : await token)
  } catch (error) {
    if (error instanceof AudienceError && error.code === TOKEN_UNAVAILABLE) {
      return failed({ code: 'unreachable', outcome: 'notSent', detail: error.message, cause: error })
    }
    throw error
  } finally {
    pacer.leave()
  }
}

async function sendAndTell(transport: Transport, call: PreparedCall, token: string): Promise<AttemptResult> {
  const { clock, onExchange } = transport
  const startedAt = clock.steady()
  const verdict = await send(transport, call, token)
  const durationMs = clock.steady() - startedAt
  const { outcome, code } = verdict.state === 'done' ? { outcome: 'done' as const, code: undefined } : verdict.failure
  onExchange({ operation: call.plan.id, pipeline: call.pipeline, outcome, durationMs, code })
  return verdict
}

async function send(transport: Transport, call: PreparedCall, token: string): Promise<AttemptResult> {
  try {
    return await answered(transport, call, token)
  } catch (error) {
    if (!(error instanceof TransportError)) throw error
    if (!error.aborted) transport.breaker.failed(transport.clock.steady(), error.message)
    return failed(failureOfTransport(error, call.signal))
  }
}

/** The failure of an attempt that got no answer: `notSent` only if the request was not sent completely. */
function failureOfTransport(error: TransportError, signal: AbortSignal | undefined): Failure {
  const outcome = error.sent ? 'unknown' : 'notSent'
  if (error.aborted) return { ...abortFailure(signal), outcome }
  const detail = error.message === error.code ? error.code : `${error.message} (${error.code})`
  return { code: error.begun ? 'connection-lost' : 'unreachable', outcome, detail, hint: error.hint, cause: error }
}

async function answered(transport: Transport, call: PreparedCall, token: string): Promise<AttemptResult> {
  const { plan } = call
  const response = call.upload
    ? await sendUpload(transport, call, call.upload, token)
    : await sendPlain(transport, call, token)
  const { status } = response
  const { operation } = plan
  const decode = (text: string) =>
    plan.decode(withoutToken(text, token), { input: call.input, redact: transport.redact })
  const proof = answerProves({ operation, decode }, response, transport)
  if (status < 200 || status > 299) return unsuccessful(transport, plan, response, proof, token)
  transport.breaker.answered()
  return proof.proves === 'applied'
    ? { state: 'done', value: proof.value, headers: response.headers }
    : failed(failureOfBody(plan.operation, response, { ...proof, redact: transport.redact }))
}

/** A run stores what the service answers, so a service that repeats the token must not put it in the state. */
function withoutToken(text: string, token: string): string {
  return token.length >= SHORTEST_UNMISTAKABLE ? text.replaceAll(token, MASK) : text
}

async function sendPlain(transport: Transport, call: PreparedCall, token: string): Promise<WireResponse> {
  const { agent, base } = transport
  const { plan, body } = call
  const headers = [...plan.headers, 'authorization', `Bearer ${token}`]
  if (body !== undefined) headers.push('content-type', 'application/json')
  const { method } = plan.operation
  const { origin } = base
  let target = base.prefix + call.path + call.query
  let redirect: WireResponse | undefined
  for (let redirects = 0; ; redirects += 1) {
    const response = await exchange(agent, { method, origin, target, headers, body }, limitsOf(transport, call))
    const next = redirects < MAX_REDIRECTS && method === 'GET' ? sameOriginTarget(response, origin, target) : undefined
    // A missing login page does not prove that the resource is missing.
    if (next === undefined) return redirect && SAYS_MISSING.includes(response.status) ? redirect : response
    redirect ??= response
    target = next
  }
}

async function sendUpload(
  transport: Transport,
  call: PreparedCall,
  upload: UploadRequest,
  token: string,
): Promise<WireResponse> {
  const { agent, base } = transport
  const { headers, operation } = call.plan
  const { contentType, contentLength, body, close } = await openUpload(upload, transport)
  try {
    const request = {
      method: operation.method,
      origin: base.origin,
      target: base.prefix + call.path + call.query,
      headers: [...headers, 'authorization', `Bearer ${token}`, 'content-type', contentType],
      body,
      bodyBytes: contentLength,
    }
    request.headers.push('content-length', String(contentLength))
    return await exchange(agent, request, limitsOf(transport, call))
  } finally {
    await close()
  }
}

function limitsOf({ maxResponseBytes: most, answerTimeoutMs }: Transport, { plan, signal, beforeSend }: PreparedCall) {
  const maxResponseBytes = plan.operation.list?.paged ? Math.min(most, MOST_PAGE_BYTES) : most
  return { maxResponseBytes, answerTimeoutMs, signal, beforeSend }
}

function unsuccessful(
  transport: Transport,
  plan: RequestPlan,
  response: WireResponse,
  proof: Proof,
  token: string,
): AttemptResult {
  const { breaker, pacer, clock, redact } = transport
  const nowMs = clock.steady()
  const failure = failureOfResponse(plan.operation, response, { nowMs: clock.now(), redact, proof })
  const { status, retryAfterMs } = failure
  // A service that says when to try again is not down, whatever the outcome of this request.
  const isPutOff = retryAfterMs !== undefined && (failure.outcome === 'rejected' || status === 503)
  if (failure.code === 'service-error' && !isPutOff) breaker.failed(nowMs, `${status} ${failure.detail ?? ''}`)
  else breaker.answered()
  if (isPutOff) pacer.pauseUntil(nowMs + Math.min(retryAfterMs, transport.retry.totalMs))
  if (failure.status === 401) transport.token.refused(token)
  return failed(failure)
}

/** The target of a redirect, if it has the same origin. The token is never sent to another origin (decision 18). */
function sameOriginTarget({ status, headers }: WireResponse, origin: string, from: string): string | undefined {
  if (status < 300 || status > 399 || typeof headers.location !== 'string') return undefined
  const to = URL.parse(headers.location, origin + from)
  return to?.origin === origin ? to.pathname + to.search : undefined
}

function failed(failure: Failure): AttemptResult {
  return { state: 'failed', failure }
}
