/** Delays that grow from attempt to attempt. */
export interface Backoff {
  readonly firstMs: number
  readonly longestMs: number
  /** The factor by which the delay grows each time; default 2. */
  readonly factor?: number
}

/** The delay after a failed attempt with this number, from 1, in milliseconds. The caller adds the jitter. */
export function backoffDelay({ firstMs, longestMs, factor = 2 }: Backoff, attempt: number): number {
  return Math.min(longestMs, firstMs * factor ** (attempt - 1))
}

/** The delay until the next check, in milliseconds: a share of the time waited so far, so that checks become rarer. */
export function pollDelay(
  waitedMs: number,
  { shortestMs, longestMs, share = 0.1 }: { shortestMs: number; longestMs: number; share?: number },
): number {
  return Math.min(longestMs, Math.max(shortestMs, share * waitedMs))
}
