import { API_PATH, apiPaths } from '../../../generated/api-paths.ts'
import { fieldsAt, pathWriter } from '../../../http/operation.ts'
import type { ApiAnswerOf, ApiInputOf, ApiOperationId } from '../../api/operations.ts'
import { BASE_PATH } from '../base-path.ts'
import { CallError, type CallErrorBody } from './call-error.ts'
import { sessionHeaders, sessionRefused, sessionWorked } from './session.ts'
import type { ActId, ReadId, UploadId } from './types.ts'
import { apiUrl, type UrlFields } from './url.ts'

/** Reads from the API. Rejects with a `CallError`. */
export function get<Id extends ReadId>(id: Id, input: ApiInputOf<Id>, signal?: AbortSignal): Promise<ApiAnswerOf<Id>> {
  return request(urlOf(id, input), { headers: { accept: 'application/json' }, signal }) as Promise<ApiAnswerOf<Id>>
}

/** Acts through the API. With a `key`, a repeated request does nothing. Rejects with a `CallError`. */
export function post<Id extends ActId>(
  id: Id,
  input: ApiInputOf<Id>,
  { key }: { key?: string } = {},
): Promise<ApiAnswerOf<Id>> {
  const path = apiPaths[id]
  return request(`${BASE_PATH}${API_PATH}${pathWriter(path)({ ...input })}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-audience-console': '1',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: JSON.stringify(Object.fromEntries(fieldsAt<unknown>({ method: 'POST', path }, 'body', { ...input }))),
  }) as Promise<ApiAnswerOf<Id>>
}

/** Uploads a file unchanged. Rejects with a `CallError`. */
export function upload<Id extends UploadId>(
  id: Id,
  input: ApiInputOf<Id> & UrlFields,
  file: Blob,
): Promise<ApiAnswerOf<Id>> {
  return request(urlOf(id, input), {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', 'x-audience-console': '1' },
    body: file,
  }) as Promise<ApiAnswerOf<Id>>
}

function urlOf(id: ApiOperationId, input: object): string {
  return apiUrl(BASE_PATH, apiPaths[id], input as UrlFields)
}

async function request(
  url: string,
  options: RequestInit & { headers: Readonly<Record<string, string>> },
): Promise<unknown> {
  const headers = { ...options.headers, ...sessionHeaders() }
  const response = await fetch(url, { ...options, headers, credentials: 'same-origin' }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new CallError(0, { message: 'audience start does not answer', hint: 'is it running?' })
  })
  const body: unknown = await response.json().catch(() => undefined)
  if (response.status === 401 && sessionRefused(headers)) return request(url, options)
  if (response.ok) sessionWorked(headers)
  if (response.ok && body !== undefined) return body
  throw new CallError(response.status, isErrorBody(body) ? body : unreadable(response.status))
}

function isErrorBody(body: unknown): body is CallErrorBody {
  return typeof body === 'object' && body !== null && 'code' in body && 'message' in body
}

function unreadable(status: number): CallErrorBody {
  return { message: `the answer with status ${status} is not from audience start` }
}
