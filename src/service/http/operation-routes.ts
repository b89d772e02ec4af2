import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { MAX_UPLOAD_BYTES } from '../../contract/files.ts'
import type { Operation } from '../../contract/operation.ts'
import { type OperationId, operations } from '../../contract/operations.ts'
import { endpointsByPath } from '../../http/operation.ts'
import { type Participant, participantPath } from '../network/network.ts'
import type { Tokens } from '../tokens.ts'
import { admit, type RequestHead, type ServiceEndpoint } from './admit.ts'
import { type AnswerOptions, answerOperation } from './answer-operation.ts'
import { anyMethodAt } from './methods.ts'

export interface OperationRoutesOptions extends Omit<AnswerOptions, 'closing'> {
  tokens: Tokens
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the body is read; null on routes that are not operations. */
    admission: RequestHead | null
  }
}

/** A form with one file needs far fewer parts. */
const MAX_PARTS = 100

/**
 * Registers one route for each path of the contract, under each participant's own prefix (decision 1). A route takes
 * every method, so that the most specific path wins for any method (decision 57), and a wrong method gets a 405
 * (decision 17).
 */
export function registerOperations(app: FastifyInstance, options: OperationRoutesOptions): void {
  const participants = new Map(options.context.network.participants.map((one) => [String(one.id), one]))
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())
  app.decorateRequest('admission', null)
  // Created once, not for every request.
  const admitOptions = { ...options, participants }
  const answerOptions = { ...options, closing: closing.signal }
  for (const [path, byMethod] of endpointsByPath<OperationId, Operation>(operations)) {
    const route: RouteOptions = {
      ...anyMethodAt(participantPath(':participant'), path),
      // Not async, because a promise per request would take more time than admitting the request.
      onRequest(request, _reply, done) {
        noteTarget(request, byMethod, participants)
        try {
          request.admission = admit(request, byMethod, admitOptions)
        } catch (error) {
          return done(asError(error))
        }
        done()
      },
      handler: (request, reply) => answerOperation(request, reply, answerOptions),
    }
    const takesUploads = [...byMethod.values()].some(({ operation }) => operation.upload !== undefined)
    if (takesUploads) app.register((scope) => routeOfUploads(scope, route))
    else app.route(route)
  }
}

/** Notes the target for the journal. The journal also lists refused requests. */
function noteTarget(
  { exchange, method, params }: FastifyRequest,
  byMethod: ReadonlyMap<string, ServiceEndpoint>,
  participants: ReadonlyMap<string, Participant>,
): void {
  if (!exchange) return
  exchange.endpoint = byMethod.get(method)
  exchange.participant = participants.get((params as { participant: string }).participant)?.id
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

/**
 * The multipart parser hooks into every request of its scope, so only uploads have a scope with a parser. Making a
 * scope takes as long as making its routes.
 */
async function routeOfUploads(scope: FastifyInstance, route: RouteOptions): Promise<void> {
  await scope.register(multipart, {
    limits: { fileSize: MAX_UPLOAD_BYTES, parts: MAX_PARTS },
    throwFileSizeLimit: false,
    preservePath: true,
  })
  scope.route(route)
}
