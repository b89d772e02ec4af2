import type { Clock } from '../core/clock.ts'
import { AudienceError } from '../core/errors.ts'
import { stringifyJson } from '../core/json.ts'
import { violationsOf } from '../core/validation.ts'
import { validators } from '../generated/validators.ts'
import { type NotifyWebhookInput, notifyWebhookInput, notifyWebhookOutput } from './notify-webhook-schema.ts'
import type { RunnableStepType } from './runnable-step-type.ts'

/** Sends a message as JSON; a message may arrive twice, which is better than not at all. */
export const notifyWebhook: RunnableStepType = {
  name: 'notify.webhook',
  summary: 'Send a message to a web hook.',
  description: 'POSTs `{ "text": … }` as JSON, three times more where that fails. After a crash it may be sent twice.',
  input: notifyWebhookInput,
  check: (input) => violationsOf(validators['notify.webhook'], input),
  output: notifyWebhookOutput,
  startsJob: false,
  run(context, request, { clock }) {
    // The engine has checked the input against the schema.
    const { url, text, body = {} } = request.input as unknown as NotifyWebhookInput
    return context.once('answer', async (signal) => ({
      status: await deliver(parsedUrl(url), stringifyJson({ ...body, text }), { clock, signal }),
    }))
  },
}

const TIMEOUT_MS = 10_000
/** Before each repetition. */
const DELAYS_MS = [1_000, 5_000, 15_000]

type Attempt = { readonly status: number } | { readonly failure: string }

/** The status of the answer that was a success; throws `webhook-failed`. */
async function deliver(
  url: URL,
  body: string,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<number> {
  for (const delayMs of [...DELAYS_MS, undefined]) {
    const attempt = await post(url, body, signal)
    signal.throwIfAborted()
    if ('status' in attempt && attempt.status < 300) return attempt.status
    const mayPass = 'failure' in attempt || attempt.status >= 500 || attempt.status === 429
    if (!mayPass || delayMs === undefined) throw webhookFailed(url, attempt)
    await clock.sleep(delayMs, signal)
  }
  throw new Error('the last attempt ends the loop')
}

/** A redirect is not followed: the message is for whom it was addressed to. */
async function post(url: URL, body: string, signal: AbortSignal): Promise<Attempt> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    await response.body?.cancel()
    return { status: response.status }
  } catch (error) {
    return { failure: reasonOf(error) }
  }
}

/** Only codes: the texts of these errors can carry the whole URL. */
function reasonOf(error: unknown): string {
  const { cause, name } = error instanceof Error ? error : new Error()
  if (name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1000} s`
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'the request failed'
}

function parsedUrl(text: string): URL {
  const url = URL.parse(text)
  if (url && url.username === '' && url.password === '') return url
  throw new AudienceError({
    code: 'webhook-url',
    kind: 'invalid',
    message: 'the URL of the web hook cannot be used',
    hint: 'it is to be an absolute http or https URL without user and password',
  })
}

function webhookFailed({ origin }: URL, attempt: Attempt): AudienceError {
  const said = 'status' in attempt ? `answered ${attempt.status}` : `cannot be reached: ${attempt.failure}`
  return new AudienceError({
    code: 'webhook-failed',
    kind: 'failed',
    message: `the web hook at ${origin} ${said}`,
    hint: 'check its URL and whether it takes a JSON body with text',
  })
}
