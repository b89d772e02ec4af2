import { formsOf } from '../core/secrets.ts'

/** A text in which the secret does not occur, whatever a service echoed and however it encoded it. */
export function redact(text: string, secret: string): string {
  return secret === '' ? text : formsOf(secret).reduce((rest, form) => rest.replaceAll(form, '[redacted]'), text)
}
