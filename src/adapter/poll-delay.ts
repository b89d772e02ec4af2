export interface PollSchedule {
  /** The shortest delay, in milliseconds. */
  readonly floorMs: number
  /** The longest delay, in milliseconds. */
  readonly ceilingMs: number
}

export const DEFAULT_POLLS: PollSchedule = { floorMs: 500, ceilingMs: 30_000 }

/** The state of a wait, in milliseconds. */
interface PollMoment {
  /** Since the start of the wait. */
  readonly elapsedMs: number
  /** Until the deadline, when the last poll takes place. */
  readonly leftMs: number
  /** The time of the shortest tenth of earlier jobs; set for the first delay only, and only if it is known. */
  readonly learnedMs?: number | undefined
}

const GROWTH = 0.1

/** The learned times themselves were measured late, by up to a tenth. */
const LEARNED_SHARE = 0.9

/**
 * The delay before the next poll: a tenth of the time waited so far, between floor and ceiling, times a random factor
 * from 0.8 to 1, but never beyond the deadline (docs/decisions.md, "Waiting for a job"). So the end of a job is seen
 * late by at most the floor or a tenth of the job's duration.
 *
 * The first delay after a job was seen at work is longer if earlier jobs of the same operation are known. Hardly any of
 * them ended before their shortest tenth, so earlier polls would be useless. The delay then lasts until nine tenths of
 * that time have passed, at most the ceiling, and with the same factor. A job that takes as long as learned is seen as
 * early as without learning. A shorter job is seen late by less than the ceiling. From the second delay on, the first
 * paragraph applies alone.
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
