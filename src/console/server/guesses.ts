import { BlockList, isIPv6 } from 'node:net'
import { canonicalIp, ipv6Groups } from '../../contract/canonical-ip.ts'
import { formatTimeLimit } from '../../core/format/duration-text.ts'
import { count } from '../../core/format/figures.ts'
import { sha256 } from '../../core/sha256.ts'
import { ApiFailure } from './api-failure.ts'

/** How many wrong secrets an address may try in one period. Trying the same secret again does not count. */
const MOST_GUESSES = 10
/** How many wrong secrets all addresses together may try, so that an attacker gains nothing from many addresses. */
const MOST_IN_ALL = 5_000
const PERIOD_MS = 10 * 60_000
/** How many addresses the audit log names in one period, so that guesses cannot fill it. */
const MOST_NOTED = 100

/** Limits how many secrets an address can try. */
export interface Guesses {
  /**
   * Throws a failure with status 429 after too many guesses from the address or from all addresses. Lets a secret pass
   * if this address has used it successfully before, so that a program with the right token can continue while an
   * attacker uses the same address.
   */
  check(address: string, secret: string): void
  wasRight(address: string, secret: string): void
  /**
   * Counts a wrong secret. Returns whether to add it to the audit log. The log gets the first wrong secret of an
   * address, the last one before the address is refused, and the last one before all addresses are refused.
   */
  wasWrong(address: string, secret: string): boolean
}

interface Tried {
  readonly since: number
  readonly wrong: Set<string>
}

export function createGuesses(now: () => number): Guesses {
  /** The secrets tried in this period, by address. The limit for all addresses also limits their number. */
  const byAddress = new Map<string, Tried>()
  /** The right secrets, each with the addresses that have used it. There is at most one entry for each token. */
  const right = new Map<string, Set<string>>()
  let period = { since: Number.NEGATIVE_INFINITY, wrong: 0, noted: 0 }
  const inPeriod = () => {
    if (now() - period.since >= PERIOD_MS) {
      period = { since: now(), wrong: 0, noted: 0 }
      for (const [place, { since }] of byAddress) if (now() - since >= PERIOD_MS) byAddress.delete(place)
    }
    return period
  }
  const triedFrom = (place: string): Tried | undefined => {
    const tried = byAddress.get(place)
    return tried && now() - tried.since < PERIOD_MS ? tried : undefined
  }
  return {
    check(address, secret) {
      const place = placeOf(address)
      const { since, wrong = new Set() } = triedFrom(place) ?? {}
      const all = inPeriod()
      const isOver = wrong.size >= MOST_GUESSES
      if ((!isOver && all.wrong < MOST_IN_ALL) || right.get(sha256(secret))?.has(place)) return
      const until = (isOver && since !== undefined ? since : all.since) + PERIOD_MS
      const guesses = count(isOver ? MOST_GUESSES : MOST_IN_ALL, 'wrong token or link', 'wrong tokens or links')
      const wait = formatTimeLimit(Math.max(1, Math.ceil((until - now()) / 1000)) * 1000)
      throw new ApiFailure(
        429,
        'too-many-guesses',
        `${guesses} came from ${isOver ? address : 'many addresses'}`,
        `wait ${wait}; \`audience audit list\` shows when they came`,
      )
    },
    wasRight(address, secret) {
      const digest = sha256(secret)
      const places = right.get(digest) ?? new Set()
      places.add(placeOf(address))
      right.set(digest, places)
    },
    wasWrong(address, secret) {
      const place = placeOf(address)
      const all = inPeriod()
      const tried = triedFrom(place) ?? { since: now(), wrong: new Set() }
      const before = tried.wrong.size
      // Links are never refused, so more wrong links may arrive than the limits allow.
      if (before < MOST_GUESSES) tried.wrong.add(sha256(secret))
      if (all.wrong < MOST_IN_ALL) byAddress.set(place, tried)
      if (tried.wrong.size === before || all.wrong >= MOST_IN_ALL) return false
      all.wrong += 1
      if (all.wrong === MOST_IN_ALL) return true
      const isNoted = (before === 0 || tried.wrong.size === MOST_GUESSES) && all.noted < 2 * MOST_NOTED
      if (isNoted) all.noted += 1
      return isNoted
    },
  }
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/**
 * Treats all loopback addresses as one address. Also treats the addresses of one IPv6 network as one, because a host in
 * that network can use any of them.
 */
function placeOf(given: string): string {
  const address = given.replace(/%.*$/, '')
  const version = isIPv6(address) ? 'ipv6' : 'ipv4'
  if (address !== '' && loopback.check(address, version)) return 'loopback'
  // An IPv4 address within an IPv6 address counts as the IPv4 address.
  const canonical = canonicalIp(address.toLowerCase()) ?? address
  return ipv6Groups(canonical)?.slice(0, 4).join(':') ?? canonical
}
