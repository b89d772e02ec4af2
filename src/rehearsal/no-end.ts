import { DAY_MS } from '../core/duration.ts'
import { AudienceError } from '../core/errors.ts'
import { formatNumber } from '../core/format/figures.ts'

const LONGEST_DAYS = 40
/** A run may take this long; one that takes longer hangs. */
export const LONGEST_MS = LONGEST_DAYS * DAY_MS
/** How often time may leap in one event: polls of a job for two weeks, or about a minute of a processor. */
export const MOST_LEAPS = 1_000_000

/** What was waited for has not come, and nothing says that it will. */
export function noEnd(): AudienceError {
  return new AudienceError({
    code: 'no-end',
    kind: 'failed',
    message: `it goes on for more than ${LONGEST_DAYS} days, or ${formatNumber(MOST_LEAPS)} leaps of time`,
  })
}
