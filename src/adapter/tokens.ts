import { AudienceError } from '../core/errors.ts'

/** Where the access token comes from (decision 10). */
export interface TokenProvider {
  /** The token to send now. Rejects with an AudienceError of kind `unavailable` if there is none. */
  get(): string | Promise<string>
  /** The service refused this token: the next `get` should return another one, if it can. */
  refused(token: string): void
}

/** The code of an error that may not occur at the next try. */
export const TOKEN_UNAVAILABLE = 'token-unavailable'

/** A token that stays as it is. Throws at once if none can be sent. `source` is where it comes from, for people. */
export function staticToken(token: string, source = 'the configured token'): TokenProvider {
  const checked = sendableToken(token, source)
  return { get: () => checked, refused: () => {} }
}

/**
 * The token without blanks around it; throws `no-token` if nothing is left, and `bad-token` if a header cannot carry
 * it. The message never shows the token.
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
