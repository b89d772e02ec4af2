/** A text in which the secret does not occur, whatever a service echoed. */
export function redact(text: string, secret: string): string {
  return secret === '' ? text : text.replaceAll(secret, '[redacted]')
}
