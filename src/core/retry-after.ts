import { DAY_MS } from './duration.ts'

/** Longer than anybody waits, and small enough to add to any time. */
const LONGEST_MS = 365_000 * DAY_MS

/** The headers of a response, with names in lower case. */
type Headers = Readonly<Record<string, string | string[] | undefined>>

/**
 * How long a response asks the client to wait, in its header `Retry-After`, in milliseconds. The header may contain
 * seconds, with any number of digits or a fraction, or an HTTP date (decisions 11 and 156, RFC 9110 10.2.3). The result
 * is at most a thousand years. A date is judged by the clock of the service, which `Date` shows, or else by ours. If
 * there are several values, the longest wait applies. Undefined if there is none, or if none can be parsed.
 */
export function retryAfterMs({ 'retry-after': header, date }: Headers, nowMs: number): number | undefined {
  // A program in between may join two headers with a comma. The comma of a date follows the name of a day.
  const values = textsOf(header).flatMap((text) => text.split(/(?<!\b[A-Z][a-z]{2,8}),/))
  const [theirMs = nowMs] = textsOf(date).flatMap((text) => dateIn(text) ?? [])
  const waits = values.flatMap((value) => waitMs(value.trim(), theirMs) ?? [])
  return waits.length === 0 ? undefined : Math.min(Math.max(0, ...waits), LONGEST_MS)
}

function textsOf(header: string | string[] | undefined): readonly string[] {
  return [header ?? []].flat()
}

function waitMs(text: string, nowMs: number): number | undefined {
  if (/^\d+(\.\d*)?$/.test(text)) return Math.ceil(Number(text) * 1000)
  const at = dateIn(text)
  return at === undefined ? undefined : at - nowMs
}

function dateIn(text: string): number | undefined {
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return undefined
  // No clock shows a year with five or more digits.
  if (/ \d{5,} /.test(`${text} `)) return Number.POSITIVE_INFINITY
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : at
}
