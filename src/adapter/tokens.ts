import type { SteadyClock } from '../core/clock.ts'
import { AudienceError } from '../core/errors.ts'

/** Where the access token comes from (decision 10). */
export interface TokenProvider {
  /** The token to send now. Rejects with an AudienceError of kind `unavailable` if there is none. */
  get(): string | Promise<string>
  /** Call this when the service has refused this token. The next `get` then returns another token, if there is one. */
  refused(token: string): void
}

/** The error code for a problem that may be gone by the next attempt. */
export const TOKEN_UNAVAILABLE = 'token-unavailable'

/** A token that never changes. Throws immediately if it cannot be sent. `source`: where it comes from, for messages. */
export function staticToken(token: string, source = 'the configured token'): TokenProvider {
  const checked = sendableToken(token, source)
  return { get: () => checked, refused: () => {} }
}

export interface FreshToken {
  readonly token: string
  /** How long the token is valid from now, in milliseconds. If undefined, it is used until it is refused. */
  readonly lifetimeMs?: number | undefined
}

/** A token is renewed when a tenth of its lifetime is left, but at most this long before its end. */
const EARLIEST_RENEWAL_MS = 60_000

/**
 * Fetches a token when it is first needed, again shortly before it expires, and again after the service has refused it.
 * Callers that need a token at the same time share one fetch. While the old token is valid, a failed renewal is not an
 * error.
 */
export function renewableToken(fetchToken: () => Promise<FreshToken>, clock: SteadyClock): TokenProvider {
  let current: { token: string; renewAt: number; endsAt: number } | undefined
  let fetching: Promise<string> | undefined

  const renew = async (): Promise<string> => {
    const startedAt = clock.steady()
    try {
      const { token, lifetimeMs = Number.POSITIVE_INFINITY } = await fetchToken()
      const earlyMs = Math.min(EARLIEST_RENEWAL_MS, lifetimeMs / 10)
      current = { token, endsAt: startedAt + lifetimeMs, renewAt: startedAt + lifetimeMs - earlyMs }
      return token
    } catch (error) {
      if (current && clock.steady() < current.endsAt) return current.token
      throw error
    } finally {
      fetching = undefined
    }
  }

  return {
    get() {
      if (current && !(clock.steady() >= current.renewAt)) return current.token
      fetching ??= renew()
      return fetching
    },
    refused(token) {
      if (current?.token === token) current = undefined
    },
  }
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
