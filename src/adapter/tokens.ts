import { AudienceError } from '../core/errors.ts'

/** Where the access token comes from (decision 10). */
export interface TokenProvider {
  /** The token to send now. Rejects with an AudienceError of kind `unavailable` if there is none. */
  get(): string | Promise<string>
  /** To be called when the service has refused this token. The next `get` then returns another one, if there is one. */
  refused(token: string): void
}

/** The code of an error that may be gone at the next attempt. */
export const TOKEN_UNAVAILABLE = 'token-unavailable'

/**
 * A token that never changes. Throws at once if it cannot be sent. `source` says where the token comes from, for
 * messages.
 */
export function staticToken(token: string, source = 'the configured token'): TokenProvider {
  const checked = sendableToken(token, source)
  return { get: () => checked, refused: () => {} }
}

/**
 * Returns the token without spaces around it. Throws `no-token` if nothing is left, and `bad-token` if a header cannot
 * carry it. The message never shows the token.
 */
export function sendableToken(text: string, source: string): string {
  const token = text.trim()
  if (token === '') throw tokenError('no-token', `${source} holds no access token`, 'set it, then run again')
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw tokenError('bad-token', `${source} holds something that is not an access token`, 'it must be one word')
  }
  return token
}

export function tokenError(code: string, message: string, hint: string, cause?: unknown): AudienceError {
  return new AudienceError({ code, kind: 'unavailable', message, hint, cause })
}
