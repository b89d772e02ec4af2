import { explainTransport } from '../../adapter/explain-transport.ts'
import { cleanBeginning } from '../../core/clean-beginning.ts'
import { type SteadyClock, within } from '../../core/clock.ts'
import { AudienceError, invalidError } from '../../core/errors.ts'
import { formatTimeLimit } from '../../core/format/duration-text.ts'
import { retryAfterMs } from '../../core/retry-after.ts'
import type { Redact } from '../../core/secrets.ts'
import { maskPersonal } from '../../policy/personal-data.ts'

const TIMEOUT_MS = 10_000
/** The maximum length of the text that is shown from an error response. */
const MAX_DETAIL = 200
/**
 * The maximum length of the text that is read: more than is shown, so that personal data are found before the text is
 * cut.
 */
const MAX_READ = 2000

/** The result of a request: a response, or the reason why there is none. Neither contains any part of the URL. */
export type PostResult =
  | { readonly status: number; readonly detail: string; readonly retryAfterMs?: number }
  | { readonly failure: string }

/** How a request is sent: `fetch`, or a function that checks where the request goes. */
export type Post = (
  url: URL,
  init: {
    method: 'POST'
    headers: Record<string, string>
    body: string
    redirect: 'manual'
    signal: AbortSignal
  },
) => Promise<PostResponse>

interface PostResponse {
  readonly status: number
  readonly ok: boolean
  readonly headers: { get(name: string): string | null }
  readonly body: (AsyncIterable<Uint8Array> & { cancel(): Promise<void> }) | null
}

export interface PostOptions {
  clock: Pick<SteadyClock, 'now' | 'timer'>
  /** Removes secrets from the receiver's response before the response is cut. */
  redact: Redact
  headers?: Readonly<Record<string, string>> | undefined
  /** The default is `fetch`. */
  post?: Post
}

/**
 * POSTs JSON text once, and waits ten seconds for the response. It does not follow a redirect, because the message is
 * only for the receiver it was addressed to. The only error it throws is an AudienceError that `post` has thrown.
 */
export async function postJson(
  url: URL,
  body: string,
  { signal, clock, redact, headers, post = fetch }: PostOptions & { signal: AbortSignal },
): Promise<PostResult> {
  const send = async (timely: AbortSignal) => {
    const response = await post(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      redirect: 'manual',
      signal: timely,
    })
    const header = (name: string) => response.headers.get(name) ?? undefined
    const wait = retryAfterMs({ 'retry-after': header('retry-after'), date: header('date') }, clock.now())
    const detail = response.ok ? '' : await beginningOf(response, redact)
    await response.body?.cancel()
    return { status: response.status, detail, retryAfterMs: wait }
  }
  try {
    return await within(TIMEOUT_MS, send, { clock, signal })
  } catch (error) {
    const refusal = error instanceof Error && error.cause instanceof AudienceError ? error.cause : error
    if (refusal instanceof AudienceError) throw refusal
    return { failure: reasonOf(error) }
  }
}

/**
 * The URL of a web hook. Throws an AudienceError that does not show the URL, because anybody who knows the URL can post
 * to it. `where` says where the URL was written.
 */
export function webhookUrl(text: string, where = ''): URL {
  const url = URL.parse(text)
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (url && isHttp && url.username === '' && url.password === '') return url
  throw invalidError(
    'webhook-url',
    `the URL of the web hook${where && ` ${where}`} cannot be used`,
    'it must be an absolute http or https URL without user and password',
  )
}

async function beginningOf(response: PostResponse, redact: Redact): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > MAX_READ) break
  }
  return cleanBeginning(text, MAX_READ, (read) => maskPersonal(redact(read)))
    .slice(0, MAX_DETAIL)
    .replace(/\s+/g, ' ')
    .trim()
}

/** Returns only codes, because the messages of these errors can contain the whole URL. */
function reasonOf(error: unknown): string {
  const { name } = error instanceof Error ? error : new Error()
  if (name === 'TimeoutError') return `no answer within ${formatTimeLimit(TIMEOUT_MS)}`
  for (let cause = causeOf(error); cause instanceof Error; cause = causeOf(cause)) {
    const code = 'code' in cause ? cause.code : undefined
    if (typeof code !== 'string') continue
    const known = { message: cause.message, code, data: '' }
    return explainTransport(known, { origin: '', via: 'the proxy' })?.message ?? code
  }
  return 'the request failed'
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined
}
