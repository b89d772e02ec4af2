import { randomUUID } from 'node:crypto'

/**
 * Ids of requests, as UUIDs: a random one's beginning, which tells servers and starts apart, and a count. Nobody gains
 * anything by guessing them, and a random one each would cost more than routing the request does.
 */
export function createRequestIds(): () => string {
  const beginning = randomUUID().slice(0, -COUNT_DIGITS)
  let count = 0
  return () => beginning + (++count).toString(16).padStart(COUNT_DIGITS, '0')
}

/** The last group of a UUID, in hexadecimal digits; 2^48 requests are more than a process lives to see. */
const COUNT_DIGITS = 12
