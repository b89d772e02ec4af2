import { AudienceError } from '../core/errors.ts'

/** A participant's service address, split so that paths are joined as strings (decision 1). */
export interface BaseUrl {
  /** Scheme, host and port. */
  readonly origin: string
  /** The path before `/api`, without a trailing slash; may be empty. */
  readonly prefix: string
}

/** Throws `invalid-base-url` for anything but http or https without credentials, query and fragment. */
export function parseBaseUrl(text: string): BaseUrl {
  const url = URL.parse(text)
  if (!url) throw invalidBaseUrl('it is not a URL')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw invalidBaseUrl('it must start with http or https')
  if (url.username || url.password) throw invalidBaseUrl('it must not carry credentials')
  if (url.search || url.hash) throw invalidBaseUrl('it must not have a query or a fragment')
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') }
}

/** The address itself stays out of the text: what is wrong with it may be that it holds a password. */
function invalidBaseUrl(reason: string): AudienceError {
  return new AudienceError({
    code: 'invalid-base-url',
    kind: 'invalid',
    message: `the base URL cannot be used: ${reason}`,
    hint: 'set it to the address the service gave you, such as https://audience.example.com/p/1001',
  })
}
