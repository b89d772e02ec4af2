import type { Message } from '../message.ts'
import type { Channel, Delivery } from './channel.ts'
import { jsonBody } from './json-format.ts'
import { type PostOptions, type PostResult, postJson } from './post-json.ts'
import { signatureHeaders } from './sign-webhook.ts'
import { slackBody } from './slack-format.ts'
import { teamsBody } from './teams-format.ts'

const BODIES = { json: jsonBody, slack: slackBody, teams: teamsBody } satisfies Record<
  string,
  (message: Message) => string
>

/** After these statuses, another message may still be accepted. */
const ABOUT_THE_MESSAGE = [400, 413, 415, 422]

/** Notifies people through a web hook. */
export function webhookChannel(
  options: PostOptions & {
    name: string
    url: URL
    /** The format that the receiver understands. */
    format: keyof typeof BODIES
    /** The keys that sign each message, newest first. */
    secrets?: readonly Buffer[] | undefined
  },
): Channel {
  const { name, url, format, secrets = [], clock, post } = options
  const redact = (said: string) => withoutParts(options.redact(said), url)
  return {
    name,
    async send(message, signal) {
      const body = BODIES[format](message)
      const headers = { ...options.headers, ...signatureHeaders({ key: message.key, body, at: clock.now() }, secrets) }
      const result = await postJson(url, body, { signal, clock, redact, headers, post })
      signal.throwIfAborted()
      return deliveryOf(result, url)
    },
  }
}

/** Shows only the origin of the URL, because the rest would let others post to it. */
export function deliveryOf(result: PostResult, url: URL): Delivery {
  const { origin } = url
  if ('failure' in result) {
    return { state: 'failed', reason: `${origin} cannot be reached: ${result.failure}`, concerns: 'channel' }
  }
  const { status, detail, retryAfterMs } = result
  if (status >= 200 && status < 300) return { state: 'delivered', answer: `${origin} answered ${status}` }
  const redirected = status >= 300 && status < 400 ? ', a redirect, which is not followed' : ''
  return {
    state: 'failed',
    reason: `${origin} answered ${status}${redirected}${detail === '' ? '' : `: ${detail}`}`,
    concerns: ABOUT_THE_MESSAGE.includes(status) ? 'message' : 'channel',
    retryAfterMs,
  }
}

/** Masks the URL's path and query in a response: as a whole, and each part that is too long to be a word. */
function withoutParts(text: string, { pathname, search }: URL): string {
  const whole = `${pathname}${search}`
  const parts = [whole, ...whole.split(/[/?&=]/)].filter(({ length }) => length >= SHORTEST_PART)
  return parts.reduce((rest, part) => rest.replaceAll(part, '***'), text)
}

const SHORTEST_PART = 6
