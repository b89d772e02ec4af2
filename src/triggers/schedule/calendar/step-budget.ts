import { DaysOffError } from '../days-off.ts'
import type { Spend } from './expand-rule.ts'

/**
 * The number of days that may be checked to read a calendar, and the number for each year that is requested later. The
 * work is counted, not measured, so that a calendar is valid on every machine or on none.
 */
const MAX_STEPS = 1_000_000

/** Throws DaysOffError once too much has been spent. The place where it throws is the part that is too expensive. */
export function stepBudget(): Spend {
  let left = MAX_STEPS
  return (steps, line) => {
    left -= steps
    if (left >= 0) return
    throw new DaysOffError(
      `line ${line}: it takes too long to work out the rules up to here`,
      'leave out events that are not days off, and write rules that name their days',
    )
  }
}
