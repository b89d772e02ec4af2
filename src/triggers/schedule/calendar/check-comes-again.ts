import { DaysOffError } from '../days-off.ts'
import type { LineOwner } from './calendar-values.ts'
import { expandRule, type Spend } from './expand-rule.ts'
import type { RecurrenceRule } from './recurrence-rule.ts'

/** The maximum number of days that are searched for the next time of a rule: every day of five hundred years. */
const MOST_LOOKED = 200_000

/** Throws DaysOffError for a rule that never matches, such as 30 February, because it is a mistake. */
export function checkComesAgain(
  rule: RecurrenceRule,
  { localMs: startMs, isDate }: { readonly localMs: number; readonly isDate: boolean },
  { spend, owner }: { readonly spend: Spend; readonly owner: LineOwner },
): void {
  const never = new DaysOffError(
    `line ${rule.line}: the rule of ${owner} never matches a day`,
    'check its BY parts and its INTERVAL, or leave the rule out',
  )
  let left = MOST_LOOKED
  const looking: Spend = (steps, line) => {
    spend(steps, line)
    left -= steps
    if (left < 0) throw never
  }
  for (const localMs of expandRule(rule, startMs, { isDate, spend: looking })) {
    if (localMs > startMs) return
  }
  throw never
}
