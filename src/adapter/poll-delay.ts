export interface PollSchedule {
  /** The shortest delay, in milliseconds. */
  readonly floorMs: number
  /** The longest delay, in milliseconds. */
  readonly ceilingMs: number
}

export const DEFAULT_POLLS: PollSchedule = { floorMs: 500, ceilingMs: 30_000 }

/** The state of a wait, in milliseconds. */
interface PollMoment {
  /** The time since the start of the wait. */
  readonly elapsedMs: number
  /** The time until the deadline, when the last poll takes place. */
  readonly leftMs: number
  /**
   * The time within which the shortest tenth of earlier jobs ended. Set only for the first delay, and only if it is
   * known.
   */
  readonly learnedMs?: number | undefined
}

const GROWTH = 0.1

/** The learned times are up to a tenth too long, because the end of each job was noticed late. */
const LEARNED_SHARE = 0.9

/**
 * The delay before the next poll. It is a tenth of the time waited so far, but at least the floor and at most the
 * ceiling, times a random factor from 0.8 to 1. It never goes beyond the deadline (docs/decisions.md, "Waiting for a
 * job"). So the end of a job is noticed late by at most the floor or a tenth of the job's duration.
 *
 * If earlier jobs of the same operation are known, the first delay is longer. Only a tenth of these jobs ended within
 * `learnedMs`, so earlier polls would be useless. The delay then lasts until nine tenths of that time have passed, but
 * no longer than the ceiling, and is multiplied by the same factor. The end of a job that takes the learned time is
 * noticed as early as without learning. The end of a shorter job is noticed late by less than the ceiling. From the
 * second delay on, only the first paragraph applies.
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
