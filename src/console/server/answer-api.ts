import type { IncomingMessage, ServerResponse } from 'node:http'
import { count } from '../../core/format/figures.ts'
import type { Fields } from '../api/api-operation.ts'
import { EVENTS_PATH } from '../api/events.ts'
import { consoleOpenApi } from '../api/open-api.ts'
import type { ApiOperationId } from '../api/operations.ts'
import { admitCaller, crossSite } from './admit-caller.ts'
import { ApiFailure, asFailure } from './api-failure.ts'
import { type ApiCall, type ApiHandlers, STREAMED } from './call.ts'
import { actorOfCaller, type Caller } from './caller.ts'
import type { ConsoleDeps } from './console-deps.ts'
import type { EndedSessions } from './ended-sessions.ts'
import type { EventStreams } from './event-streams.ts'
import type { FoundOperation } from './find-operation.ts'
import { findOperation } from './find-operation.ts'
import { readInput } from './read-input.ts'
import { apiJson, sendJson } from './send-answer.ts'
import type { Sessions } from './sessions.ts'

const LONGEST_KEY = 200

interface ApiRequest {
  /** The path below `/api/v1`. */
  readonly path: string
  readonly query: URLSearchParams
  readonly streams: EventStreams
  readonly sessions: Sessions
  readonly ended: EndedSessions
  readonly handlers: ApiHandlers
  /** Resolves when it is this request's turn to work. */
  readonly turn: () => Promise<void>
  callerOf(request: IncomingMessage): Promise<Caller>
}

/**
 * Answers a request to the API: finds the caller, checks the role, reads the input, then does the work. The audit log
 * gets an entry for a refused action.
 */
export async function answerApi(
  request: IncomingMessage,
  response: ServerResponse,
  call: ApiRequest,
  deps: ConsoleDeps,
): Promise<void> {
  try {
    if (request.headers.cookie !== undefined) await call.ended.refresh()
    const caller = await call.callerOf(request)
    if (call.path === EVENTS_PATH) return openStream(request, response, call, caller)
    if (call.path === '/openapi.json')
      return sendJson(request, response, { status: 200, text: apiJson(consoleOpenApi()) })
    const found = findOperation(request.method, call.path)
    if (found.fields.runId !== undefined) call.streams.lookedAt(found.fields.runId)
    await call.turn()
    const value = await perform(request, response, { ...call, ...found, caller }, deps)
    if (value === STREAMED) return
    await call.turn()
    sendJson(request, response, { status: 200, text: deps.redact(apiJson(value)) })
  } catch (error) {
    const failure = asFailure(error) ?? internal(error, call, deps)
    const headers: Record<string, string> =
      failure.status === 401 ? { 'www-authenticate': 'Bearer realm="audience"' } : {}
    sendJson(request, response, { status: failure.status, text: deps.redact(apiJson(failure.body)), headers })
  }
}

async function perform<Id extends ApiOperationId>(
  request: IncomingMessage,
  response: ServerResponse,
  call: ApiRequest & FoundOperation<Id> & { caller: Caller },
  deps: ConsoleDeps,
): Promise<unknown> {
  const { id, operation, fields, query, caller, sessions, ended, streams, handlers, turn } = call
  const { readOnly, publicUrl } = deps.settings.console
  let given: Fields = fields
  try {
    admitCaller(request, operation, { caller, readOnly, publicUrl })
    const input = await readInput(request, { id, operation, fields, query })
    given = input as Fields
    const handed: ApiCall = {
      caller,
      actor: actorOfCaller(caller, given.reason),
      idempotencyKey: keyOf(request),
      body: request,
      turn,
      setHeader: (name, value) => response.setHeader(name, value),
      endSession(session, options) {
        ended.end(session, options)
        streams.dropEnded()
        response.setHeader('set-cookie', sessions.end)
      },
      async streamRun({ after, ...from }) {
        const { session } = caller
        await streams.openRun(request, response, { ...from, after: lastEventOf(request) ?? after, session })
        return STREAMED
      },
    }
    return await handlers[id](deps, input, handed)
  } catch (error) {
    const outcome = asFailure(error)?.body.code
    if (operation.audit && outcome !== undefined)
      await deps.state.audit.add({ ...actorOfCaller(caller, given.reason), ...operation.audit(given), outcome })
    throw error
  }
}

function openStream(request: IncomingMessage, response: ServerResponse, { streams }: ApiRequest, caller: Caller): void {
  if (request.method !== 'GET') throw new ApiFailure(405, 'wrong-method', 'use GET')
  const site = request.headers['sec-fetch-site']
  if (caller.via !== 'token' && site !== undefined && site !== 'same-origin') throw crossSite()
  streams.open(request, response, caller.session)
}

function keyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && key !== '' && key.length <= LONGEST_KEY) return key
  throw new ApiFailure(400, 'bad-request', `Idempotency-Key must have 1 to ${count(LONGEST_KEY, 'character')}`)
}

/** The last event that a reconnecting reader has received. */
function lastEventOf({ headers }: IncomingMessage): number | undefined {
  const id = headers['last-event-id']
  if (id === undefined || id === '') return undefined
  if (typeof id === 'string' && /^\d{1,15}$/.test(id)) return Number(id)
  throw new ApiFailure(400, 'bad-request', 'Last-Event-ID must be the id of an event')
}

function internal(error: unknown, { path }: ApiRequest, { log }: ConsoleDeps): ApiFailure {
  log.error({ err: error, path }, 'a request to the API could not be answered')
  return new ApiFailure(500, 'internal', 'this request failed; the log of audience start says why')
}
