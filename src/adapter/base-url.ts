import { AudienceError } from '../core/errors.ts'

/** The address of a participant's service, split so that paths are joined as strings (decision 1). */
export interface BaseUrl {
  /** Scheme, host and port. */
  readonly origin: string
  /** The path before `/api`, without a trailing slash. It may be empty. */
  readonly prefix: string
}

/** Throws `invalid-base-url` unless the text is an http or https URL without credentials, query or fragment. */
export function parseBaseUrl(text: string): BaseUrl {
  const url = URL.parse(text)
  if (!url) throw invalidBaseUrl('it is not a URL')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw invalidBaseUrl('it must start with http or https')
  if (url.username || url.password) throw invalidBaseUrl('it must not carry credentials')
  if (url.search || url.hash) throw invalidBaseUrl('it must not have a query or a fragment')
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') }
}

/** The message does not show the address, because it may contain a password. */
function invalidBaseUrl(reason: string): AudienceError {
  return new AudienceError({
    code: 'invalid-base-url',
    kind: 'invalid',
    message: `the base URL cannot be used: ${reason}`,
    hint: 'set it to the address the service gave you, such as https://audience.example.com/p/1001',
  })
}
