import type { SteadyClock } from '../core/clock.ts'
import type { TokenProvider } from './tokens.ts'

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
