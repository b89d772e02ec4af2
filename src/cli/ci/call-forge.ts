import { type SteadyClock, within } from '../../core/clock.ts'
import { messageOf } from '../../core/message-of.ts'
import { retryAfterMs } from '../../core/retry-after.ts'
import { tried } from '../../core/tried.ts'
import { boundedText } from '../../platform/bounded-text.ts'
import { AGAIN_AFTER_MS, CommentError } from './comments.ts'

/** An API of GitHub or GitLab. */
export interface Forge {
  /** The address of the API, without a trailing slash. */
  readonly api: string
  readonly headers: Readonly<Record<string, string>>
  readonly clock: SteadyClock
}

interface Answer {
  readonly data: unknown
  /** The address of the next page. */
  readonly next: string | undefined
}

const ANSWER_WITHIN_MS = 30_000
const LONGEST_WAIT_MS = 60_000
const MOST_PAGES = 200
/** The limit for a page of comments. Each comment may have 65,536 characters. */
const MOST_ANSWER_BYTES = 50_000_000

/** Sends a request; throws a CommentError. The token goes only to the API, so redirects are not followed. */
export async function callForge(
  { api, headers, clock }: Forge,
  { method = 'GET', path, body }: { method?: string; path: string; body?: object },
): Promise<Answer> {
  const url = path.startsWith('/') ? `${api}${path}` : path
  const send = async (signal: AbortSignal) => {
    const response = await fetch(url, {
      method,
      headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'audience-pipelines' },
      body: body === undefined ? null : JSON.stringify(body),
      redirect: 'error',
      signal,
    })
    return { response, text: await boundedText(response, MOST_ANSWER_BYTES) }
  }
  const { response, text } = await within(ANSWER_WITHIN_MS, send, { clock }).catch((error: unknown) => {
    const why = messageOf(error instanceof Error ? (error.cause ?? error) : error)
    throw new CommentError(`${method} ${url} failed: ${why}`, { status: 0, againAfterMs: AGAIN_AFTER_MS })
  })
  if (!response.ok)
    throw new CommentError(`${method} ${url} answered ${response.status}`, {
      status: response.status,
      againAfterMs: againAfter(response, clock.now()),
    })
  return { data: tried(() => JSON.parse(text)), next: nextPage(response, api) }
}

/** All items of a list that has pages. */
export async function allOf(forge: Forge, path: string): Promise<readonly unknown[]> {
  const items: unknown[] = []
  let next: string | undefined = path
  for (let page = 0; next !== undefined && page < MOST_PAGES; page++) {
    const answer: Answer = await callForge(forge, { path: next })
    // Without the list, there is no way to know who has commented.
    if (!Array.isArray(answer.data)) throw unlike(`GET ${next}`, 'a list')
    items.push(...answer.data)
    next = answer.next
  }
  return items
}

/** The error for an answer in an unexpected form. Another attempt may get a usable answer. */
export function unlike(request: string, wanted: string): CommentError {
  return new CommentError(`${request} did not return ${wanted}`, {
    status: 0,
    againAfterMs: AGAIN_AFTER_MS,
  })
}

/**
 * How long to wait before sending the request again, in milliseconds. Undefined if it would get the same answer, or if
 * the wait would be too long.
 */
function againAfter({ status, headers }: Response, nowMs: number): number | undefined {
  const isLimited = status === 429 || (status === 403 && isRateLimit(headers))
  if (status < 500 && !isLimited) return undefined
  const ms = retryAfterMs(Object.fromEntries(headers), nowMs)
  if (ms === undefined) return isLimited ? undefined : AGAIN_AFTER_MS
  return ms <= LONGEST_WAIT_MS ? ms : undefined
}

function isRateLimit(headers: Headers): boolean {
  return headers.has('retry-after') || headers.get('x-ratelimit-remaining') === '0'
}

/** Accepts only an address on the same server, because the token goes with the request. */
function nextPage({ headers }: Response, api: string): string | undefined {
  const [, next] = /<([^>]+)>;\s*rel="?next"?/.exec(headers.get('link') ?? '') ?? []
  return next !== undefined && URL.canParse(next) && new URL(next).origin === new URL(api).origin ? next : undefined
}
