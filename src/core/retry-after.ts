import { DAY_MS } from './duration.ts'

/** Longer than anybody waits, and small enough to be added to any time. */
const LONGEST_MS = 365_000 * DAY_MS

/**
 * How long a `Retry-After` header asks to wait, in milliseconds: seconds, however many digits they have, or an HTTP date
 * (decisions 11 and 156, RFC 9110 10.2.3); at most a thousand years. Undefined if there is none, or if it cannot be
 * parsed.
 */
export function retryAfterMs(header: string | string[] | undefined, nowMs: number): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim()
  if (!text) return undefined
  const askedMs = /^\d+$/.test(text) ? Number(text) * 1000 : untilDate(text, nowMs)
  return askedMs === undefined ? undefined : Math.min(Math.max(0, askedMs), LONGEST_MS)
}

function untilDate(text: string, nowMs: number): number | undefined {
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return undefined
  // No clock reads a year of more digits.
  if (/ \d{5,} /.test(`${text} `)) return LONGEST_MS
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : at - nowMs
}
