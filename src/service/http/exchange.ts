import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../core/clock.ts'
import { tried } from '../../core/tried.ts'
import { CONTROL_PREFIX } from '../control/control-operation.ts'
import type { FaultRule } from '../control/fault-rules.ts'
import type { JournalEntry, RequestJournal } from '../control/request-journal.ts'
import { participantPath } from '../network/network.ts'
import type { ServiceEndpoint } from './admit.ts'
import { parseQuery } from './query.ts'

/** What becomes known about a request while it is being answered. */
interface Exchange {
  endpoint: ServiceEndpoint | undefined
  participant: number | undefined
  fault: FaultRule | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null for the control API. */
    exchange: Exchange | null
  }
}

interface RecorderOptions {
  journal: RequestJournal
  /** The service's clock, for the time of a request. */
  clock: Clock
  /** The machine's time, for the duration. */
  wall: Clock
}

/**
 * Adds every request to the API to the journal when the connection is finished, even if there was no answer. Requests
 * to the control API are left out.
 */
export function exchangeRecorder({
  journal,
  clock,
  wall,
}: RecorderOptions): (request: FastifyRequest, reply: FastifyReply) => void {
  return (request, reply) => {
    if (request.url.startsWith(CONTROL_PREFIX)) return
    const at = clock.now()
    const begun = wall.now()
    const exchange: Exchange = { endpoint: undefined, participant: undefined, fault: undefined }
    request.exchange = exchange
    reply.raw.on('close', () =>
      journal.add(entryOf(request, reply, exchange, { at, durationMs: Math.max(0, wall.now() - begun) })),
    )
  }
}

function entryOf(
  { url, method, headers, id }: FastifyRequest,
  { raw }: FastifyReply,
  { endpoint, participant, fault }: Exchange,
  { at, durationMs }: { at: number; durationMs: number },
): JournalEntry {
  const start = participant === undefined ? 0 : participantPath(participant).length
  const end = url.indexOf('?')
  const length = headers['content-length']
  return {
    at,
    participant: participant ?? null,
    operation: endpoint?.id ?? null,
    method,
    path: end < 0 ? url.slice(start) : url.slice(start, end),
    query: endpoint && end >= 0 ? knownQuery(url, endpoint) : NO_QUERY,
    status: raw.headersSent ? raw.statusCode : null,
    durationMs,
    requestId: id,
    bodyBytes: length === undefined && headers['transfer-encoding'] !== undefined ? null : Number(length ?? 0),
    fault: fault ? { rule: fault.id, action: fault.spec.action } : null,
  }
}

const NO_QUERY: JournalEntry['query'] = {}

function knownQuery(target: string, { parameters }: ServiceEndpoint): JournalEntry['query'] {
  const query = tried(() => parseQuery(target))
  // The request was refused for this reason.
  if (!query) return NO_QUERY
  const known = parameters.filter(({ place }) => place === 'query')
  return Object.fromEntries(known.flatMap(({ name }) => (query.has(name) ? [[name, query.get(name) ?? []]] : [])))
}
