import { createHmac } from 'node:crypto'
import { sha256 } from '../../core/sha256.ts'

/** The minimum length of a secret that Standard Webhooks allows, in bytes. */
const SHORTEST_SECRET = 24

/**
 * The key of a secret in the form of Standard Webhooks: base64, usually after `whsec_`. Undefined if the secret has
 * another form.
 */
export function signingKey(secret: string): Buffer | undefined {
  const text = secret.replace(/^whsec_/, '')
  const key = Buffer.from(text, 'base64')
  return /^[A-Za-z0-9+/]+=*$/.test(text) && key.length >= SHORTEST_SECRET ? key : undefined
}

/**
 * The headers of Standard Webhooks: a signature for each key, so that a receiver may know the old or the new one. Sign
 * again for each attempt, because receivers refuse old timestamps. A message that is sent again keeps its id.
 */
export function signatureHeaders(
  { key, body, at }: { key: string; body: string; at: number },
  secrets: readonly Buffer[],
): Record<string, string> {
  if (secrets.length === 0) return {}
  // The key may have characters that a header cannot hold.
  const id = `msg_${sha256(key).slice(0, 32)}`
  const seconds = String(Math.floor(at / 1000))
  const signed = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64'),
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': signed.map((signature) => `v1,${signature}`).join(' '),
  }
}
