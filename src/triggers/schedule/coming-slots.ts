import { DAY_MS } from '../../core/duration.ts'
import { AudienceError } from '../../core/errors.ts'
import type { Schedule } from './schedule.ts'

/** A slot of one of several schedules. */
export interface ComingSlot<S extends Schedule> {
  readonly schedule: S
  /** In milliseconds since 1970, without jitter. */
  readonly at: number
}

/** How far ahead slots are searched for. A schedule whose days are all excluded has no slot in this time. */
const HORIZON_MS = 20 * 366 * DAY_MS

/**
 * The first `limit` slots of all schedules together after an instant and before `toMs`, in order, without slots on
 * excluded days. Throws an AudienceError if days off cannot be read.
 */
export function comingSlots<S extends Schedule>(
  schedules: readonly S[],
  afterMs: number,
  limit: number,
  toMs = Number.POSITIVE_INFINITY,
): ComingSlot<S>[] {
  const found: ComingSlot<S>[] = []
  let end = Math.min(afterMs + HORIZON_MS, toMs - 1)
  for (const schedule of schedules) {
    let count = 0
    for (const at of schedule.slotsAfter(afterMs)) {
      if (at > end || count === limit) break
      if (schedule.isExcluded(at)) continue
      found.push({ schedule, at })
      count++
    }
    // The remaining schedules need to be searched only up to the last of the slots found so far.
    if (found.length >= 2 * limit) found.splice(0, found.length, ...firstOf(found, limit))
    if (found.length >= limit) end = Math.min(end, firstOf(found, limit).at(-1)?.at ?? end)
  }
  return firstOf(found, limit)
}

/** The coming slots of one schedule; none, and the problem, if its days off cannot be read. */
export function comingSlotsOr<S extends Schedule>(
  schedule: S,
  options: { readonly after: number; readonly limit: number; readonly to?: number },
): { readonly slots: readonly ComingSlot<S>[]; readonly problem?: AudienceError } {
  try {
    return { slots: comingSlots([schedule], options.after, options.limit, options.to) }
  } catch (error) {
    if (error instanceof AudienceError) return { slots: [], problem: error }
    throw error
  }
}

function firstOf<S extends Schedule>(slots: readonly ComingSlot<S>[], limit: number): ComingSlot<S>[] {
  return slots.toSorted((a, b) => a.at - b.at).slice(0, limit)
}
