import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { Logger } from 'pino'
import { type Json, parseForeignJson } from '../../core/json.ts'
import { nothingAt, Refusal } from '../api-error.ts'
import type { ControlContext } from '../control/control-handlers.ts'
import { registerControl } from './control-routes.ts'
import { exchangeRecorder } from './exchange.ts'
import { type OperationRoutesOptions, registerOperations } from './operation-routes.ts'
import { asApiError, rawProblemResponse, sendProblem } from './problem.ts'

/** The largest JSON body: 10 MB (decision 149). The longest body that the contract allows is far smaller. */
const MAX_JSON_BYTES = 10_485_760

export interface ServerOptions {
  log: Logger
  operations: OperationRoutesOptions
  control: ControlContext
}

/**
 * Creates the HTTP server, which does not listen yet. Every answer has an `X-Request-Id`. Every refusal is a problem
 * (decision 135).
 */
export function createServer({ log, operations, control }: ServerOptions): FastifyInstance {
  const newRequestId = createRequestIds()
  const app: FastifyInstance = fastify({
    exposeHeadRoutes: false,
    requestIdHeader: false,
    genReqId: newRequestId,
    bodyLimit: MAX_JSON_BYTES,
    // A request that arrives while the server is closing is served, or its connection ends. It never gets an answer in
    // another format.
    return503OnClosing: false,
    // Requests are checked against the contract. Without these builders, Fastify would load its own validator and
    // serialiser.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    // A long value must count as a value that does not exist, and not as an unknown route.
    routerOptions: { maxParamLength: 16_384 },
    frameworkErrors: (error, _request, reply) => {
      void sendProblem(reply, asApiError(error) ?? new Refusal('invalid-request', error.message))
    },
    clientErrorHandler: (error, socket) => {
      if (!socket.writable) return
      const problem = asApiError(error) ?? new Refusal('invalid-request', 'the request is not HTTP')
      socket.end(rawProblemResponse(problem, newRequestId()))
    },
  })
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    parseBody(body),
  )
  // If the operation takes no body, the body is read and discarded. For other operations, the type has already been
  // checked.
  app.addContentTypeParser('*', async (_request: unknown, payload: AsyncIterable<unknown>) => {
    for await (const _chunk of payload);
  })

  app.decorateRequest('exchange', null)
  const recordExchange = exchangeRecorder(control)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    // Clients compare dates in the answer with this header.
    reply.header('date', new Date(control.wall.now()).toUTCString())
    recordExchange(request, reply)
    done()
  })
  if (log.isLevelEnabled('debug')) app.addHook('onResponse', async (request, reply) => logExchange(log, request, reply))
  app.setErrorHandler(async (error, request, reply) => {
    const refusal = asApiError(error)
    if (!refusal) log.error({ requestId: request.id, err: error }, 'a request failed')
    return sendProblem(reply, refusal ?? new Refusal('internal-error', 'something went wrong; the log says more'))
  })
  app.setNotFoundHandler(async (request, reply) => sendProblem(reply, nothingAt(request.url)))
  registerOperations(app, operations)
  registerControl(app, control)
  return app
}

function noSchemas(): never {
  throw new Error('routes have no schemas')
}

function logExchange(log: Logger, { id, method, url }: FastifyRequest, reply: FastifyReply): void {
  const { statusCode: status, elapsedTime } = reply
  log.debug({ requestId: id, method, path: url.split('?')[0], status, ms: Math.round(elapsedTime) }, 'request')
}

function parseBody(body: Buffer): Json | undefined {
  if (body.length === 0) return undefined
  if (!isUtf8(body)) throw new Refusal('invalid-request', 'the body is not UTF-8')
  try {
    return parseForeignJson(body.toString())
  } catch (error) {
    throw new Refusal('invalid-request', `the body is not JSON: ${error instanceof Error ? error.message : error}`)
  }
}

/**
 * Makes request ids that look like UUIDs. They consist of the beginning of a random UUID, which differs for each start
 * of a server, and a counter. A guessed id is useless to an attacker, and a random UUID per request would take more
 * time than routing the request.
 */
export function createRequestIds(): () => string {
  const beginning = randomUUID().slice(0, -COUNT_DIGITS)
  let count = 0
  return () => beginning + (++count).toString(16).padStart(COUNT_DIGITS, '0')
}

/** The length of a UUID's last group, in hexadecimal digits. No process lives long enough to handle 2^48 requests. */
const COUNT_DIGITS = 12
