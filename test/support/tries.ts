import { isLong } from './is-long.ts'
import { isBrief } from './test-groups.ts'

/** How many cases a law tries: `long` in the long form, `short` before a change lands, and half of those in `npm test`. */
export function tries(short: number, long: number): number {
  if (isLong) return long
  return isBrief ? Math.ceil(short / 2) : short
}
