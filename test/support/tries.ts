import { isLong } from './is-long.ts'

/** `npm test`, which leaves out whole systems, and has four minutes on two processors. */
const isBrief = process.env.LEAVE_OUT?.split(',').includes('system') ?? false

/** How many cases a law tries: `long` in the long form, `short` before a change lands, and half of those in `npm test`. */
export function tries(short: number, long: number): number {
  if (isLong) return long
  return isBrief ? Math.ceil(short / 2) : short
}
