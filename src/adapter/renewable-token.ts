import type { SteadyClock } from '../core/clock.ts'
import type { TokenProvider } from './tokens.ts'

export interface FreshToken {
  readonly token: string
  /** How long it is valid from now, in milliseconds; undefined if unknown: then it is used until it is refused. */
  readonly lifetimeMs?: number | undefined
}

/** A token is renewed when a tenth of its life is left, but at most this early. */
const EARLIEST_RENEWAL_MS = 60_000

/**
 * A token that is fetched when it is first needed, again shortly before it expires, and after the service refused it.
 * All callers share one fetch at a time. While the old token is valid, a failed renewal is not an error.
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
