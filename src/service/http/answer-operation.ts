import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Operation, VENDOR_MEDIA_TYPE } from '../../contract/operation.ts'
import { type OperationId, operations } from '../../contract/operations.ts'
import { toWire } from '../../contract/wire.ts'
import type { Clock } from '../../core/clock.ts'
import { isJsonObject, type Json, stringifyJson } from '../../core/json.ts'
import type { JsonSchema } from '../../core/json-schema.ts'
import type { Endpoint } from '../../http/operation.ts'
import type { OperationHandler, OperationHandlers, ServiceCall, ServiceContext } from '../call.ts'
import type { FaultRules } from '../control/fault-rules.ts'
import type { Lag } from '../control/lag.ts'
import type { ServiceEndpoint } from './admit.ts'
import { answerWithFault } from './faulty-answer.ts'
import { multipartParts } from './multipart-parts.ts'
import { checkInput, type DecodedInput, decodeJsonBody } from './request-input.ts'
import { sendText } from './send-text.ts'

export interface AnswerOptions {
  context: ServiceContext
  handlers: OperationHandlers
  /** Reject fields and parameters that the contract does not name, instead of ignoring them (decision 13). */
  strict: boolean
  faults: FaultRules
  lag: Lag
  /** The machine's time, which may differ from the service's. */
  wall: Clock
  /** Aborts when the service closes. */
  closing: AbortSignal
}

/**
 * Performs an admitted request and answers it according to the contract, unless a fault rule applies. If there is
 * nothing to wait for, the request has been answered by the time this returns.
 */
export function answerOperation(
  request: FastifyRequest,
  reply: FastifyReply,
  options: AnswerOptions,
): Promise<FastifyReply> | undefined {
  const { context, handlers, strict, faults, lag } = options
  const { admission, exchange } = request
  if (!admission || !exchange) throw new Error('a request reached its handler without being admitted')
  const { endpoint, caller, decoded } = admission
  const { id, operation } = endpoint
  if (endpoint.bodyFields.size > 0) decodeJsonBody(endpoint, request.body as Json | undefined, decoded, { strict })
  const { input } = decoded
  const only = strict ? operation.upload : undefined
  const call: ServiceCall = { ...context, caller, parts: () => multipartParts(request, only) }
  const asked = { operation: id, participant: caller.id, input }

  const rule = faults.next(id)
  if (!rule) {
    const output = run(endpoint, handlers, call, decoded)
    if (output instanceof Promise) return output.then((later) => send(reply, endpoint, lag.reveal(asked, later)))
    send(reply, endpoint, lag.reveal(asked, output))
    return undefined
  }
  exchange.fault = rule
  const perform = async (changed: Readonly<Record<string, Json>> = {}) =>
    lag.reveal(asked, await run(endpoint, handlers, call, { ...decoded, input: { ...input, ...changed } }))
  const hide = (output: Json, forMs: number) => lag.hide(asked, output, context.clock.now() + forMs)
  const sleep = (ms: number) => sleepUnlessClosing(ms, options)
  return answerWithFault(reply, rule, {
    request,
    operation,
    input,
    perform,
    hide,
    bodyOf: (output) => bodyOf(operation, output),
    send: (output) => send(reply, endpoint, output),
    sleep,
  })
}

function send(reply: FastifyReply, { operation }: ServiceEndpoint, output: Json): FastifyReply {
  reply.code(operation.status)
  return operation.output === null ? reply.send() : sendText(reply, VENDOR_MEDIA_TYPE, bodyOf(operation, output))
}

const ENCODERS = new Map(Object.values<Operation>(operations).map((one) => [one, encoderOf(one.output)]))

/** The body of an answer; empty if the operation has no output. */
function bodyOf(operation: Operation, output: Json): string {
  return ENCODERS.get(operation)?.(output) ?? ''
}

function run<Id extends OperationId>(
  endpoint: Endpoint<Id>,
  handlers: OperationHandlers,
  call: ServiceCall,
  decoded: DecodedInput,
): Json | Promise<Json> {
  const handler: OperationHandler<Id> = handlers[endpoint.id]
  const output = handler(call, checkInput(endpoint, decoded))
  return output instanceof Promise ? output.then(objectOrNull) : objectOrNull(output)
}

function objectOrNull(output: unknown): Json {
  return isJsonObject(output) ? output : null
}

/** Resolves with true when the time has passed, or with false if the service closes before that. */
async function sleepUnlessClosing(ms: number, { wall, closing }: AnswerOptions): Promise<boolean> {
  try {
    await wall.sleep(ms, closing)
    return true
  } catch (error) {
    if (closing.aborted) return false
    throw error
  }
}

/** Makes the encoder for the outputs of an operation. It searches for 64-bit ids only in outputs that can have them. */
export function encoderOf(schema: JsonSchema | null): (output: Json) => string {
  if (schema === null) return () => ''
  return hasInt64(schema) ? (output) => stringifyJson(toWire(schema, output)) : (output) => JSON.stringify(output)
}

function hasInt64({ format, items, properties = {} }: JsonSchema): boolean {
  return format === 'int64' || (items !== undefined && hasInt64(items)) || Object.values(properties).some(hasInt64)
}
