import { formsOf } from '../core/secrets.ts'

/** Removes the secret from a text, in every encoding in which a service may have echoed it. */
export function redact(text: string, secret: string): string {
  return secret === '' ? text : formsOf(secret).reduce((rest, form) => rest.replaceAll(form, '[redacted]'), text)
}
