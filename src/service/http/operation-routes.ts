import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MAX_UPLOAD_BYTES } from '../../contract/files.ts'
import { VENDOR_MEDIA_TYPE } from '../../contract/operation.ts'
import type { OperationId } from '../../contract/operations.ts'
import { toWire } from '../../contract/wire.ts'
import type { Clock } from '../../core/clock.ts'
import { isJsonObject, type Json, stringifyJson } from '../../core/json.ts'
import type { Call, Handler, Handlers, ServiceContext } from '../call.ts'
import type { FaultRules } from '../control/fault-rules.ts'
import type { Lag } from '../control/lag.ts'
import type { Tokens } from '../tokens.ts'
import { type Admission, admit } from './admit.ts'
import { checkInput } from './check-input.ts'
import { type DecodedInput, decodeBody } from './decode-input.ts'
import { endpointsByPath } from './endpoint.ts'
import { answerWithFault } from './faulty-answer.ts'
import { ALL_METHODS } from './methods.ts'
import { multipartParts } from './multipart-parts.ts'
import { sendText } from './send-text.ts'

export interface OperationRoutesOptions {
  readonly context: ServiceContext
  readonly handlers: Handlers
  readonly tokens: Tokens
  readonly strict: boolean
  readonly faults: FaultRules
  readonly lag: Lag
  /** The machine's time, which may differ from the service's. */
  readonly wall: Clock
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the body is read; null on routes that are not operations. */
    admission: Admission | null
  }
}

/** Far above what a form with one file needs. */
const MAX_PARTS = 100

/**
 * One route for each path of the contract, under each participant's own prefix (decision 1). It takes every method, so
 * that the most specific path wins whatever the method (decision 57), and a wrong one gets its 405 (decision 17).
 */
export function registerOperations(app: FastifyInstance, options: OperationRoutesOptions): void {
  const participants = new Map(options.context.network.participants.map((one) => [String(one.id), one]))
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())
  app.decorateRequest('admission', null)
  for (const [path, byMethod] of endpointsByPath()) {
    app.register(async (scope) => {
      if ([...byMethod.values()].some(({ operation }) => operation.upload !== undefined)) await takeUploads(scope)
      scope.route({
        method: [...ALL_METHODS],
        url: `/p/:participant${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
        onRequest: async (request) => {
          if (request.exchange) {
            request.exchange.endpoint = byMethod.get(request.method)
            request.exchange.participant = participants.get((request.params as { participant: string }).participant)?.id
          }
          request.admission = admit(request, byMethod, { ...options, participants })
        },
        handler: (request, reply) => answer(request, reply, { ...options, closing: closing.signal }),
      })
    })
  }
}

/** The parser hooks into every request of its scope, so only uploads have it. */
async function takeUploads(scope: FastifyInstance): Promise<void> {
  await scope.register(multipart, {
    limits: { fileSize: MAX_UPLOAD_BYTES, parts: MAX_PARTS },
    throwFileSizeLimit: false,
    preservePath: true,
  })
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  { context, handlers, strict, faults, lag, wall, closing }: OperationRoutesOptions & { closing: AbortSignal },
): Promise<FastifyReply> {
  const { admission, exchange } = request
  if (!admission || !exchange) throw new Error('a request reached its handler without having been admitted')
  const { endpoint, caller, decoded } = admission
  const { id, operation } = endpoint
  if (endpoint.bodyFields.size > 0) decodeBody(endpoint, request.body as Json | undefined, decoded, { strict })
  const only = strict ? operation.upload : undefined
  const call: Call = { ...context, caller, parts: () => multipartParts(request, { only }) }
  const { input } = decoded
  const perform = async (changed?: Readonly<Record<string, Json>>) => {
    const output = await run(id, handlers, call, changed ? { ...decoded, input: { ...input, ...changed } } : decoded)
    return lag.reveal({ operation: id, participant: caller.id, input }, output)
  }
  const bodyOf = (output: Json) => (operation.output === null ? '' : stringifyJson(toWire(operation.output, output)))
  const send = (output: Json) => {
    reply.code(operation.status)
    return operation.output === null ? reply.send() : sendText(reply, VENDOR_MEDIA_TYPE, bodyOf(output))
  }
  const rule = faults.next(id)
  if (!rule) return send(await perform())
  exchange.fault = rule
  const hide = (output: Json, forMs: number) =>
    lag.hide({ operation: id, participant: caller.id, input }, output, context.clock.now() + forMs)
  const sleep = (ms: number) => wall.sleep(ms, closing)
  return answerWithFault(reply, rule, { request, operation, input, perform, hide, bodyOf, send, sleep })
}

async function run<Id extends OperationId>(
  id: Id,
  handlers: Handlers,
  call: Call,
  decoded: DecodedInput,
): Promise<Json> {
  const handler: Handler<Id> = handlers[id]
  const output = await handler(call, checkInput(id, decoded))
  return isJsonObject(output) ? output : null
}
