import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../core/clock.ts'
import type { FaultRule } from '../control/fault-rules.ts'
import type { RequestJournal } from '../control/request-journal.ts'
import { CONTROL_PREFIX } from './control-routes.ts'
import type { Endpoint } from './endpoint.ts'
import { parseQuery } from './query.ts'

/** What is found out about a request while it is answered. */
interface Exchange {
  endpoint: Endpoint | undefined
  participant: number | undefined
  fault: FaultRule | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on the control API. */
    exchange: Exchange | null
  }
}

/** Writes every request to the API into the journal when its connection has done with it, answered or not. */
export function recordExchanges(app: FastifyInstance, journal: RequestJournal, clock: Clock): void {
  app.decorateRequest('exchange', null)
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.url.startsWith(CONTROL_PREFIX)) {
      const at = clock.now()
      const exchange: Exchange = { endpoint: undefined, participant: undefined, fault: undefined }
      request.exchange = exchange
      reply.raw.on('close', () => record(journal, { request, reply, exchange, at }))
    }
    done()
  })
}

function record(
  journal: RequestJournal,
  { request, reply, exchange, at }: { request: FastifyRequest; reply: FastifyReply; exchange: Exchange; at: number },
): void {
  const { endpoint, participant, fault } = exchange
  const path = request.url.split('?')[0] ?? ''
  const length = request.headers['content-length']
  journal.add({
    at,
    participant,
    operation: endpoint?.id,
    method: request.method,
    path: participant === undefined ? path : path.slice(`/p/${participant}`.length),
    query: endpoint ? knownQuery(request.url, endpoint) : {},
    status: reply.raw.headersSent ? reply.raw.statusCode : undefined,
    durationMs: Math.round(reply.elapsedTime),
    requestId: request.id,
    bodyBytes:
      length === undefined && request.headers['transfer-encoding'] !== undefined ? undefined : Number(length ?? 0),
    fault: fault && { rule: fault.id, action: fault.spec.action },
  })
}

function knownQuery(target: string, { parameters }: Endpoint): Record<string, readonly string[]> {
  if (!target.includes('?')) return {}
  let query: Map<string, string[]>
  try {
    query = parseQuery(target)
  } catch {
    // It was refused for that.
    return {}
  }
  const known = parameters.filter(({ place }) => place === 'query')
  return Object.fromEntries(known.flatMap(({ name }) => (query.has(name) ? [[name, query.get(name) ?? []]] : [])))
}
