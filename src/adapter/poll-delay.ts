export interface PollSchedule {
  /** The shortest delay, in milliseconds. */
  readonly floorMs: number
  /** The longest delay, in milliseconds. */
  readonly ceilingMs: number
}

export const DEFAULT_POLLS: PollSchedule = { floorMs: 500, ceilingMs: 30_000 }

/** Where a wait stands, in milliseconds. */
interface PollMoment {
  /** Since the waiting began. */
  readonly elapsedMs: number
  /** Until the deadline, where the last poll is. */
  readonly leftMs: number
  /** What the shortest tenth of earlier jobs took; given for the first delay only, and only where it is known. */
  readonly learnedMs?: number | undefined
}

const GROWTH = 0.1

/** What was learned was itself seen late, by as much as a tenth. */
const LEARNED_SHARE = 0.9

/**
 * The delay before the next poll: a tenth of what has been waited, between floor and ceiling, times a random factor from
 * 0.8 to 1, but never beyond the deadline (docs/decisions.md, "Waiting for a job"). So an end is seen late by the floor
 * or a tenth of its duration at the most.
 *
 * The first delay after a job was seen at work is longer where earlier jobs of the same operation are known: hardly any
 * ended before the shortest tenth of them, so polls before that would be useless, and it lasts to nine tenths of that time
 * instead; not beyond the ceiling, and with the same factor. A job that takes as long as was learned is seen as early as
 * ever, a shorter one late by less than the ceiling; from the second delay on all is as above.
 */
export function pollDelayMs(
  { elapsedMs, leftMs, learnedMs = 0 }: PollMoment,
  { floorMs, ceilingMs }: PollSchedule,
  random: () => number,
): number {
  const wantedMs = Math.max(GROWTH * elapsedMs, LEARNED_SHARE * learnedMs - elapsedMs)
  const delayMs = Math.max(floorMs, Math.min(ceilingMs, wantedMs)) * (0.8 + 0.2 * random())
  return Math.max(0, Math.min(delayMs, leftMs))
}
