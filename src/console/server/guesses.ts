import { BlockList, isIPv6 } from 'node:net'
import { sha256 } from '../../core/sha256.ts'
import { ApiFailure } from './api-failure.ts'

/** How many wrong secrets an address may try in one period. Repeating the same one does not count. */
const MOST_GUESSES = 10
/** How many all addresses may try together: having many addresses does not help an attacker. */
const MOST_IN_ALL = 5_000
const PERIOD_MS = 10 * 60_000
/** How many addresses the audit log names in one period, so that guesses cannot fill it. */
const MOST_NOTED = 100

/** Limits how many tokens an address can try. */
export interface Guesses {
  /**
   * Throws a failure of status 429 if the address, or all addresses together, have guessed too often and this secret
   * has not been right from there before: a program with the right token goes on while an attacker uses the same
   * address.
   */
  check(address: string, secret: string): void
  wasRight(address: string, secret: string): void
  /**
   * Counts a wrong secret. Returns whether the audit log should have it: the first of an address, the last that is let
   * through from an address, and the last that is let through from all addresses.
   */
  wasWrong(address: string, secret: string): boolean
}

interface Tried {
  readonly since: number
  readonly wrong: Set<string>
}

export function createGuesses(now: () => number): Guesses {
  /** The secrets tried in this period, by address. The limit for all addresses together bounds their number. */
  const byAddress = new Map<string, Tried>()
  /** Only right secrets get here, so there are as many as tokens, each with the addresses that have it. */
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
      throw new ApiFailure(429, {
        code: 'too-many-guesses',
        message: isOver
          ? `${MOST_GUESSES} wrong tokens or links came from ${address}`
          : `${MOST_IN_ALL} wrong tokens or links came from many addresses`,
        hint: `wait ${Math.max(1, Math.ceil((until - now()) / 1000))} s; \`audience audit list\` shows when they came`,
      })
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
      // Links are never refused, so they may go on beyond the limits.
      if (before < MOST_GUESSES) tried.wrong.add(sha256(secret))
      if (all.wrong < MOST_IN_ALL) byAddress.set(place, tried)
      if (tried.wrong.size === before || all.wrong >= MOST_IN_ALL) return false
      all.wrong += 1
      if (all.wrong === MOST_IN_ALL) return true
      const isTold = (before === 0 || tried.wrong.size === MOST_GUESSES) && all.noted < 2 * MOST_NOTED
      if (isTold) all.noted += 1
      return isTold
    },
  }
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** All loopback addresses count as one, as do the addresses of one IPv6 network: who has one has them all. */
function placeOf(given: string): string {
  const address = given.replace(/%.*$/, '')
  const version = isIPv6(address) ? 'ipv6' : 'ipv4'
  // An IPv4 address in an IPv6 one counts as itself here.
  if (address !== '' && loopback.check(address, version)) return 'loopback'
  if (version === 'ipv4') return address
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? []
  if (mapped !== undefined) return mapped
  const [head = '', tail = ''] = address.toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  const missing = 8 - groups.length - (tail === '' ? 0 : tail.split(':').length)
  const all = [...groups, ...Array<string>(Math.max(0, missing)).fill('0')]
  return all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')
}
