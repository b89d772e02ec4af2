import { join } from 'node:path'
import { type SteadyClock, within } from '../../core/clock.ts'
import { codeOf } from '../../core/code-of.ts'
import { AudienceError, type ErrorKind } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, parseForeignJson, stringifyJson } from '../../core/json.ts'
import { fieldsAt, pathWriter } from '../../http/operation.ts'
import { boundedText } from '../../platform/bounded-text.ts'
import type { ControlOperation } from '../control/control-operation.ts'
import { type ControlOperationId, controlOperations } from '../control/control-operations.ts'
import { type LocalEndpoint, readEndpoint } from './endpoint-file.ts'

/**
 * Calls an operation of the control API with its fields. Throws an AudienceError. `service-not-found`,
 * `service-not-now` and `service-refused` are refusals by the service. `service-gone` means that nothing was sent.
 * `service-lost` means that no answer arrived, so the request may have taken effect.
 */
export type CallControl = (id: ControlOperationId, input?: object) => Promise<JsonObject>

/** Long enough for `clock.advance`, which answers only when every job that falls due is done. */
const ANSWERS_WITHIN_MS = 60_000
/** The size of an answer is limited, because another program may answer at the address of a service that was killed. */
const MOST_ANSWER_BYTES = 16_000_000

/**
 * Makes a client for the control API of a folder's service. It finds the service again when another process takes it
 * over.
 */
export function controlClient(folder: string, clock: SteadyClock): CallControl {
  return async (id, input) => {
    const endpoint = readEndpoint(join(folder, 'endpoint.json'))
    if (!endpoint) throw gone(folder, undefined)
    const request = controlRequest(endpoint.control, id, input)
    const { status, body } = await send(request, { folder, clock })
    if (status < 200 || status > 299) throw refused(status, body)
    if (!body) throw lost(undefined)
    return body
  }
}

/** The request for an operation of the control API with its fields. */
export function controlRequest({ url, token }: LocalEndpoint['control'], id: ControlOperationId, input: object = {}) {
  const operation: ControlOperation = controlOperations[id]
  const { method, path } = operation
  const fields = { ...input } as JsonObject
  const inQuery = fieldsAt(operation, 'query', fields).map(([name, value]) => [name, `${value}`])
  const query = new URLSearchParams(Object.fromEntries(inQuery))
  const isInBody = method === 'POST'
  const authorization = `Bearer ${token}`
  return {
    method,
    url: `${url}${pathWriter(path)(fields)}${query.size > 0 ? `?${query}` : ''}`,
    headers: isInBody ? { authorization, 'content-type': 'application/json' } : { authorization },
    body: isInBody ? stringifyJson(Object.fromEntries(fieldsAt(operation, 'body', fields))) : undefined,
  }
}

async function send(
  { url, ...request }: ReturnType<typeof controlRequest>,
  { folder, clock }: { folder: string; clock: SteadyClock },
): Promise<{ readonly status: number; readonly body: JsonObject | undefined }> {
  const ask = async (signal: AbortSignal) => {
    const response = await fetch(url, { ...request, signal })
    return { status: response.status, body: await bodyOf(response) }
  }
  try {
    return await within(ANSWERS_WITHIN_MS, ask, { clock })
  } catch (error) {
    const isUnsent = codeOf(error instanceof Error ? error.cause : undefined) === 'ECONNREFUSED'
    throw isUnsent || request.method === 'GET' ? gone(folder, error) : lost(error)
  }
}

async function bodyOf(response: Response): Promise<JsonObject | undefined> {
  try {
    const body = parseForeignJson(await boundedText(response, MOST_ANSWER_BYTES))
    return isJsonObject(body) ? body : undefined
  } catch {
    return undefined
  }
}

function gone(folder: string, cause: unknown): AudienceError {
  return new AudienceError({
    code: 'service-gone',
    kind: 'unavailable',
    message: `the embedded service in ${folder} does not answer`,
    hint: 'if the process that ran it has ended, another one takes it over within seconds',
    cause,
  })
}

function lost(cause: unknown): AudienceError {
  return new AudienceError({
    code: 'service-lost',
    kind: 'unavailable',
    message: 'the embedded service did not answer; the request may have taken effect',
    hint: 'check whether it happened before you try again',
    cause,
  })
}

const REFUSALS: Readonly<Record<number, readonly [code: string, kind: ErrorKind]>> = {
  400: ['service-refused', 'invalid'],
  404: ['service-not-found', 'invalid'],
  409: ['service-not-now', 'invalid'],
}

function refused(status: number, body: JsonObject | undefined): AudienceError {
  const [code, kind] = REFUSALS[status] ?? ['service-failed', 'unavailable']
  const detail = typeof body?.detail === 'string' ? body.detail : `the embedded service answered with status ${status}`
  return new AudienceError({ code, kind, message: detail })
}
