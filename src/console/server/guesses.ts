import { isIPv6 } from 'node:net'
import { sha256 } from '../../core/sha256.ts'
import { ApiFailure } from './api-failure.ts'

/** How many wrong secrets an address may try in one period. The same one again is no further guess. */
const MOST_GUESSES = 10
const PERIOD_MS = 10 * 60_000
/** Addresses that are remembered; with more of them, the oldest is forgotten. */
const MOST_ADDRESSES = 10_000

/** Limits how many tokens an address can try. */
export interface Guesses {
  /**
   * Throws a failure of status 429 if the address has guessed too often and this secret has not been right from there
   * before: a program with the right token goes on beside an attacker of the same address.
   */
  check(address: string, secret: string): void
  wasRight(address: string, secret: string): void
  /** Counts a wrong secret. Returns whether the audit log should have it: the first, and the last that is let through. */
  wasWrong(address: string, secret: string): boolean
}

interface Tried {
  readonly since: number
  readonly wrong: Set<string>
  readonly right: Set<string>
}

export function createGuesses(now: () => number): Guesses {
  const byAddress = new Map<string, Tried>()
  const triedFrom = (address: string): Tried => {
    const place = placeOf(address)
    const known = byAddress.get(place)
    if (known && now() - known.since < PERIOD_MS) return known
    const tried = { since: now(), wrong: new Set<string>(), right: known?.right ?? new Set<string>() }
    byAddress.delete(place)
    byAddress.set(place, tried)
    const [oldest] = byAddress.keys()
    if (byAddress.size > MOST_ADDRESSES && oldest !== undefined) byAddress.delete(oldest)
    return tried
  }
  return {
    check(address, secret) {
      const { since, wrong, right } = triedFrom(address)
      if (wrong.size < MOST_GUESSES || right.has(sha256(secret))) return
      const seconds = Math.max(1, Math.ceil((since + PERIOD_MS - now()) / 1000))
      throw new ApiFailure(429, {
        code: 'too-many-guesses',
        message: `${MOST_GUESSES} wrong tokens or links came from ${address}`,
        hint: `wait ${seconds} s; \`audience audit list\` shows when they came`,
      })
    },
    wasRight(address, secret) {
      // Only right ones get here, so there are as many as tokens.
      triedFrom(address).right.add(sha256(secret))
    },
    wasWrong(address, secret) {
      const { wrong } = triedFrom(address)
      const before = wrong.size
      wrong.add(sha256(secret))
      return wrong.size > before && (before === 0 || wrong.size === MOST_GUESSES)
    },
  }
}

/** All loopback addresses are one place, and so are the addresses of one IPv6 network: whoever has one has the others. */
function placeOf(address: string): string {
  if (address === '::1' || address.startsWith('127.')) return 'loopback'
  if (!isIPv6(address)) return address
  const [head = '', tail = ''] = address.split('::')
  const groups = head.split(':')
  const missing = 8 - groups.length - (tail === '' ? 0 : tail.split(':').length)
  return [...groups, ...Array<string>(Math.max(0, missing)).fill('0')].slice(0, 4).join(':')
}
