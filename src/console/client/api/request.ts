import { BASE_PATH } from '../base-path.ts'
import { CallError, type CallErrorBody } from './call-error.ts'
import { sessionHeaders, sessionRefused, sessionWorked } from './session.ts'
import type { GetAnswer, GetInput, GetPath, PostAnswer, PostInput, PostPath, UploadPath } from './types.ts'
import { apiUrl, fillPath, type UrlFields } from './url.ts'

/** Reads from the API. Rejects with a `CallError`. */
export function get<Path extends GetPath>(
  path: Path,
  input: GetInput<Path>,
  signal?: AbortSignal,
): Promise<GetAnswer<Path>> {
  return request(urlOf(path, input), { headers: { accept: 'application/json' }, signal }) as Promise<GetAnswer<Path>>
}

/** Acts through the API. With a `key`, a repeated request does nothing. Rejects with a `CallError`. */
export function post<Path extends PostPath>(
  path: Path,
  input: PostInput<Path>,
  { key }: { readonly key?: string } = {},
): Promise<PostAnswer<Path>> {
  const { filled, others } = fillPath<unknown>(path, { ...input })
  return request(urlOf(filled, {}), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-audience-console': '1',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: JSON.stringify(others),
  }) as Promise<PostAnswer<Path>>
}

/** Uploads a file unchanged. Rejects with a `CallError`. */
export function upload<Path extends UploadPath>(
  path: Path,
  input: PostInput<Path> & UrlFields,
  file: Blob,
): Promise<PostAnswer<Path>> {
  return request(urlOf(path, input), {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', 'x-audience-console': '1' },
    body: file,
  }) as Promise<PostAnswer<Path>>
}

function urlOf(path: string, input: object): string {
  return apiUrl(BASE_PATH, path, input as UrlFields)
}

async function request(
  url: string,
  options: RequestInit & { readonly headers: Readonly<Record<string, string>> },
): Promise<unknown> {
  const headers = { ...options.headers, ...sessionHeaders() }
  const response = await fetch(url, { ...options, headers, credentials: 'same-origin' }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new CallError(0, { code: 'unreachable', message: 'audience start does not answer', hint: 'is it running?' })
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
  return { code: 'unreadable', message: `the answer with status ${status} is not from audience start` }
}
