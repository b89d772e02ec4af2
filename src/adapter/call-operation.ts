import { validateForSending } from '../contract/validate-input.ts'
import { type AudienceError, invalidError } from '../core/errors.ts'
import { formatDuration } from '../core/format/duration-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { propertyOf, type SchemaViolation } from '../core/validation.ts'
import { isPathValue } from '../http/operation.ts'
import { maskPersonal } from '../policy/personal-data.ts'
import type { CallOptions } from './api-client.ts'
import { ApiError } from './api-error.ts'
import { attempt, type PreparedCall } from './attempt.ts'
import type { WireHeaders } from './exchange.ts'
import { abortFailure, type Failure } from './failure.ts'
import { emptyPage } from './list-page.ts'
import type { RequestPlan } from './request-plan.ts'
import { decideRetry } from './retry-policy.ts'
import type { Transport } from './transport.ts'
import type { WarnOnce } from './warn-once.ts'

/**
 * Calls an operation and returns its answer. Repeats attempts that are safe to repeat. If the call fails, throws
 * ApiError with the outcome, or another AudienceError if nothing has taken effect.
 */
export async function callOperation(
  transport: Transport,
  plan: RequestPlan,
  input: unknown,
  options: CallOptions,
): Promise<Json | undefined> {
  return (await answerOf(transport, plan, input, options)).value
}

/**
 * Like `callOperation`, but also returns the headers of the answer. There are no headers if a 404 means an empty list
 * (decision 121).
 */
export async function answerOf(
  transport: Transport,
  plan: RequestPlan,
  input: unknown,
  options: CallOptions,
): Promise<{ readonly value: Json | undefined; readonly headers: WireHeaders }> {
  const checked = checkedInput(plan, input, transport.warn)
  const call = prepare(plan, checked, options)
  const maxAttempts = options.maxAttempts ?? transport.retry.maxAttempts
  const startedAt = transport.clock.steady()
  let renewed = false
  let mayHaveHappened = false
  for (let number = 1; ; number += 1) {
    const verdict = await attempt(transport, call)
    if (verdict.state === 'done') return noted(transport, plan, verdict)
    const failure = closedOr(transport, verdict.failure)
    const { list } = plan.operation
    if (list?.emptyIs404 && failure.status === 404) return { value: emptyPage(list, checked), headers: {} }
    mayHaveHappened ||= failure.outcome === 'unknown'
    const state = {
      attempt: number,
      elapsedMs: transport.clock.steady() - startedAt,
      repeat: plan.operation.repeat,
      renewed,
    }
    const decision = decideRetry(failure, state, { ...transport.retry, maxAttempts }, transport.random)
    if (decision.state === 'giveUp') throw apiError(call, withPatience(transport, failure), mayHaveHappened)
    renewed ||= failure.status === 401
    logRepeat(transport, call, failure, number, decision.delayMs)
    const stopped = await pause(transport, decision.delayMs, options.signal)
    if (stopped) throw apiError(call, stopped, mayHaveHappened)
  }
}

/** Returns the answer. Warns once about each unknown value in it, but accepts the value (decision 12). */
function noted<A extends { readonly value: Json | undefined }>(
  { warn, redact }: Transport,
  plan: RequestPlan,
  answer: A,
): A {
  plan.findUnknown?.(answer.value, (field, unknown) => {
    const shown = maskPersonal(redact(unknown)).slice(0, 100)
    warn(`${plan.id}: unknown ${field} ${JSON.stringify(shown)}`)
  })
  return answer
}

function prepare(plan: RequestPlan, input: JsonObject, options: CallOptions): PreparedCall {
  const { upload } = plan.operation
  return {
    plan,
    input,
    path: plan.path(input),
    query: plan.query(input),
    body: plan.body(input),
    upload: upload === undefined ? undefined : { ...options, path: String(input[upload]), part: upload },
    signal: options.signal,
    pipeline: options.pipeline,
    beforeSend: plan.operation.method === 'GET' ? undefined : options.beforeSend,
  }
}

/** If the service asks for a longer wait than a call allows, adds this to the error. */
function withPatience({ retry }: Transport, failure: Failure): Failure {
  const { retryAfterMs = 0, detail } = failure
  if (retryAfterMs <= retry.totalMs) return failure
  const asked = `the service says to try again in ${formatDuration(retryAfterMs)}, which is too long to wait here`
  return { ...failure, detail: detail === undefined ? asked : `${detail}; ${asked}` }
}

/** The error of a call. An earlier attempt may have taken effect, and a later refusal does not change that. */
function apiError({ plan, path }: PreparedCall, failure: Failure, mayHaveHappened: boolean): ApiError {
  const request = { operation: plan.id, method: plan.operation.method, path }
  return new ApiError(request, mayHaveHappened ? { ...failure, outcome: 'unknown' } : failure)
}

function closedOr({ closing }: Transport, failure: Failure): Failure {
  return closing.aborted ? { ...abortFailure(closing), outcome: failure.outcome } : failure
}

/** Waits before the next attempt. Returns the reason if the caller or the client stops. */
async function pause(
  { clock, closing }: Transport,
  delayMs: number,
  signal: AbortSignal | undefined,
): Promise<Failure | undefined> {
  const either = signal ? AbortSignal.any([closing, signal]) : closing
  try {
    await clock.sleep(delayMs, either)
    return undefined
  } catch (error) {
    if (either.aborted) return abortFailure(either)
    throw error
  }
}

function logRepeat({ log }: Transport, call: PreparedCall, failure: Failure, number: number, delayMs: number): void {
  const { code, outcome, status, detail, requestId } = failure
  const { id: operation } = call.plan
  log.info(
    {
      operation,
      path: call.path,
      attempt: number,
      code,
      outcome,
      status,
      detail,
      requestId,
      delayMs: Math.round(delayMs),
    },
    'a request failed and will be repeated',
  )
}

/**
 * Returns the input to send. Throws `invalid-input` with all violations (decisions 21, 60, 77). If only our own service
 * is known to refuse the input, logs a warning (decision 41).
 */
function checkedInput(plan: RequestPlan, input: unknown, warn: WarnOnce): JsonObject {
  const violations: SchemaViolation[] = []
  for (const violation of validateForSending(plan.id, input)) {
    if (violation.isAdvice) warn(`${plan.id}: ${violation.message}`)
    else violations.push(violation)
  }
  if (violations.length > 0 || !isJsonObject(input)) throw invalidInput(plan.id, violations)
  const unusable = plan.pathFields.filter((name) => !isPathValue(String(input[name])))
  if (unusable.length > 0) throw invalidInput(plan.id, unusable.map(unusablePathValue))
  return input
}

function invalidInput(operation: string, violations: readonly SchemaViolation[]): AudienceError {
  return invalidError(
    'invalid-input',
    `${operation} cannot be sent: ${violations.map(sentence).join('; ')}`,
    `correct the input of ${operation}; nothing was sent`,
  )
}

function unusablePathValue(name: string): SchemaViolation {
  return { pointer: `/${name}`, keyword: 'path', message: 'cannot be part of a path', params: {} }
}

function sentence(violation: SchemaViolation): string {
  const name = violation.pointer.slice(1)
  return name === '' || propertyOf(violation) === name ? violation.message : `${name} ${violation.message}`
}
