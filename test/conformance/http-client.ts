import type { Readable } from 'node:stream'
import { Agent } from 'undici'
import { isJsonObject, type JsonObject, parseJson, stringifyJson } from '../../src/core/json.ts'
import { MULTIPART_TYPE, multipartBody, type Part } from './multipart.ts'
import type { SuiteOptions } from './suite-options.ts'

export const VENDOR = 'application/vnd.service.v1+json'

export interface Sending {
  /** The participant that sends the request; the caller if absent. */
  readonly as?: 'caller' | 'other'
  /** Sent as JSON, with its content type. */
  readonly json?: unknown
  /** Sent as a multipart form, with its content type. */
  readonly parts?: readonly Part[]
  /** Sent as it is, without a content type. */
  readonly raw?: string | Buffer | Readable
  /** Replaces the default headers; null leaves one out. Names in lower case. */
  readonly headers?: Readonly<Record<string, string | null>>
  /** Instead of the base URL of `as`. */
  readonly baseUrl?: string
}

export interface Answer {
  /** Method and path. */
  readonly request: string
  /** The text that was sent, shortened; empty if it was not text. */
  readonly sent: string
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
  /** The JSON object of the body, 64-bit integers exact; empty if the body is something else. */
  readonly body: JsonObject
}

const SHOWN_CHARACTERS = 400

export type HttpClient = ReturnType<typeof createHttpClient>

/** Plain HTTP with control over every byte that matters: paths, headers and bodies are sent as written. */
export function createHttpClient(options: Pick<SuiteOptions, 'baseUrl' | 'token' | 'other'>) {
  const agent = new Agent({ allowH2: false, keepAliveTimeout: 1000, headersTimeout: 120_000, bodyTimeout: 120_000 })
  return {
    /**
     * Sends `POST /api/segments`: vendor Accept and bearer token unless `headers` says otherwise. Throws if there is no
     * answer.
     */
    async send(target: string, sending: Sending = {}): Promise<Answer> {
      const space = target.indexOf(' ')
      const method = target.slice(0, space)
      const path = target.slice(space + 1)
      const { baseUrl, token } = credentials(options, sending.as)
      const { origin, pathname } = new URL(sending.baseUrl ?? baseUrl)
      const body = bodyOf(sending)
      const headers = { accept: VENDOR, authorization: `Bearer ${token}`, ...typeOf(sending), ...sending.headers }
      const response = await agent.request({
        origin,
        path: pathname.replace(/\/$/, '') + path,
        method: method as 'GET',
        headers: Object.fromEntries(Object.entries(headers).filter((header) => header[1] !== null)) as Record<
          string,
          string
        >,
        ...(body !== undefined && { body }),
      })
      const text = await response.body.text()
      return {
        request: target,
        sent: typeof body === 'string' ? body.slice(0, SHOWN_CHARACTERS) : '',
        status: response.statusCode,
        headers: Object.fromEntries(
          Object.entries(response.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join() : value]),
        ),
        text,
        body: objectOf(text),
      }
    },

    close: () => agent.close(),
  }
}

function credentials(
  { baseUrl, token, other }: Pick<SuiteOptions, 'baseUrl' | 'token' | 'other'>,
  as: 'caller' | 'other' = 'caller',
): { baseUrl: string; token: string } {
  if (as === 'caller') return { baseUrl, token }
  if (other === undefined) throw new Error('the case does not say that it needs another participant')
  return other
}

function bodyOf({ json, parts, raw }: Sending): string | Buffer | Readable | undefined {
  if (json !== undefined) return stringifyJson(json)
  return parts === undefined ? raw : multipartBody(parts)
}

function typeOf({ json, parts }: Sending): { 'content-type'?: string } {
  if (json !== undefined) return { 'content-type': 'application/json' }
  return parts === undefined ? {} : { 'content-type': MULTIPART_TYPE }
}

function objectOf(text: string): JsonObject {
  try {
    const value = parseJson(text)
    return isJsonObject(value) ? value : {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}
