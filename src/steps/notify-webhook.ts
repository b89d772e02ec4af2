import { type AudienceError, failedError } from '../core/errors.ts'
import { stringifyJson } from '../core/json.ts'
import { mapValues } from '../core/map-values.ts'
import { MASK, type Redact } from '../core/secrets.ts'
import { type PostResult, postJson, webhookUrl } from '../notifications/channels/post-json.ts'
import { defineStep, type StepServices } from './define-step.ts'
import { nothingYet } from './nothing-yet.ts'

/** Sends a message as JSON. A message may arrive twice; that is better than losing it. */
export const notifyWebhook = defineStep({
  name: 'notify.webhook',
  summary: 'Send a message to a web hook.',
  description:
    'POSTs `{ "text": … }` as JSON, and tries up to three more times if that fails. After a crash the message may be sent twice.',
  input: {
    type: 'object',
    required: ['url', 'text'],
    properties: {
      url: {
        type: 'string',
        pattern: '^https?://',
        description: 'The address; the part after the host may be a secret.',
      },
      text: { type: 'string', description: 'The message, as `text` of the JSON that is sent.' },
      body: {
        type: 'object',
        description:
          'Further members of the JSON that is sent. Secrets in them are masked, as in the text; a member that consists only of a value from env is sent unchanged.',
      },
    },
  },
  output: {
    type: 'object',
    required: ['status'],
    properties: { status: { type: 'integer', description: 'The HTTP status of the answer.' } },
  },
  run({ input: { url, text, body = {} }, context, services: { clock, post, redact } }) {
    const message = stringifyJson({ ...withoutSecrets(body, redact), text: redact(text) })
    return context.once('answer', async (signal) => ({
      status: await deliver(webhookUrl(url), message, { clock, post, redact, signal }),
    }))
  },
  plan: () => nothingYet('send'),
})

/**
 * The members of a body, with secrets removed from longer strings. A member that is exactly a secret stays, because
 * some receivers want a key, and the document gives it to them.
 */
function withoutSecrets<T>(value: T, redact: Redact): T {
  if (typeof value === 'string') {
    const shown = redact(value)
    return (shown === MASK ? value : shown) as T
  }
  if (typeof value !== 'object' || value === null) return value
  return (Array.isArray(value)
    ? value.map((item) => withoutSecrets(item, redact))
    : mapValues(value as Record<string, unknown>, (member) => withoutSecrets(member, redact))) as unknown as T
}

/** The delay before each retry. */
const DELAYS_MS = [1_000, 5_000, 15_000]

/** Returns the status of the successful answer. Throws `webhook-failed`. */
async function deliver(
  url: URL,
  body: string,
  { clock, post, redact, signal }: Pick<StepServices, 'clock' | 'post' | 'redact'> & { signal: AbortSignal },
): Promise<number> {
  for (const delayMs of [...DELAYS_MS, undefined]) {
    const attempt = await postJson(url, body, { signal, clock, redact, post })
    signal.throwIfAborted()
    if ('status' in attempt && attempt.status < 300) return attempt.status
    const mayPass = 'failure' in attempt || attempt.status >= 500 || attempt.status === 429
    if (!mayPass || delayMs === undefined) throw webhookFailed(url, attempt)
    await clock.sleep(delayMs, signal)
  }
  throw new Error('the last attempt ends the loop')
}

function webhookFailed({ origin }: URL, attempt: PostResult): AudienceError {
  const said = 'status' in attempt ? `answered ${attempt.status}` : `cannot be reached: ${attempt.failure}`
  return failedError(
    'webhook-failed',
    `the web hook at ${origin} ${said}`,
    'check its URL and whether it takes a JSON body with text',
  )
}
