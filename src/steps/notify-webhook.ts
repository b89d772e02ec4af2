import type { Clock } from '../core/clock.ts'
import { AudienceError } from '../core/errors.ts'
import { stringifyJson } from '../core/json.ts'
import { violationsOf } from '../core/validation.ts'
import { validators } from '../generated/validators.ts'
import { type Post, type PostResult, postJson, webhookUrl } from '../notifications/channels/post-json.ts'
import { type NotifyWebhookInput, notifyWebhookInput, notifyWebhookOutput } from './notify-webhook-schema.ts'
import type { RunnableStepType } from './runnable-step-type.ts'

/** Sends a message as JSON. A message may arrive twice; that is better than losing it. */
export const notifyWebhook: RunnableStepType = {
  name: 'notify.webhook',
  summary: 'Send a message to a web hook.',
  description: 'POSTs `{ "text": … }` as JSON, three times more where that fails. After a crash it may be sent twice.',
  input: notifyWebhookInput,
  check: (input) => violationsOf(validators['notify.webhook'], input),
  output: notifyWebhookOutput,
  startsJob: false,
  run(context, request, { clock, post }) {
    // The engine has checked the input against the schema.
    const { url, text, body = {} } = request.input as unknown as NotifyWebhookInput
    return context.once('answer', async (signal) => ({
      status: await deliver(webhookUrl(url), stringifyJson({ ...body, text }), { clock, post, signal }),
    }))
  },
}

/** The delay before each retry. */
const DELAYS_MS = [1_000, 5_000, 15_000]

/** Returns the status of the successful answer. Throws `webhook-failed`. */
async function deliver(
  url: URL,
  body: string,
  { clock, post, signal }: { clock: Clock; post: Post; signal: AbortSignal },
): Promise<number> {
  for (const delayMs of [...DELAYS_MS, undefined]) {
    const attempt = await postJson(url, body, { signal, now: clock.now, post })
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
  return new AudienceError({
    code: 'webhook-failed',
    kind: 'failed',
    message: `the web hook at ${origin} ${said}`,
    hint: 'check its URL and whether it takes a JSON body with text',
  })
}
