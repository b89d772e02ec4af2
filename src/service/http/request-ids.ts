import { randomUUID } from 'node:crypto'

/**
 * Request ids in the form of UUIDs: the beginning of a random UUID, which tells servers and starts apart, and a
 * counter. Guessing an id gains nothing, and a random UUID per request would cost more than routing the request.
 */
export function createRequestIds(): () => string {
  const beginning = randomUUID().slice(0, -COUNT_DIGITS)
  let count = 0
  return () => beginning + (++count).toString(16).padStart(COUNT_DIGITS, '0')
}

/** The last group of a UUID, in hexadecimal digits; no process lives to handle 2^48 requests. */
const COUNT_DIGITS = 12
