import { DAY_MS } from '../../core/duration.ts'
import { AudienceError } from '../../core/errors.ts'
import type { Schedule } from './schedule.ts'

/** A slot of a schedule. */
export interface ComingSlot<S extends Schedule> {
  readonly schedule: S
  /** In milliseconds since 1970, without jitter. */
  readonly at: number
}

/** How far ahead slots are searched for. A schedule whose days are all excluded has no slot in this time. */
const HORIZON_MS = 20 * 366 * DAY_MS

/**
 * The first `limit` slots of a schedule after an instant and before `to`, in order, without slots on excluded days. If
 * its days off cannot be read, returns no slots, and the problem.
 */
export function comingSlots<S extends Schedule>(
  schedule: S,
  { after, limit, to = Number.POSITIVE_INFINITY }: { after: number; limit: number; to?: number },
): { readonly slots: readonly ComingSlot<S>[]; readonly problem?: AudienceError } {
  const slots: ComingSlot<S>[] = []
  const end = Math.min(after + HORIZON_MS, to - 1)
  try {
    for (const at of schedule.slotsAfter(after)) {
      if (at > end || slots.length === limit) break
      if (!schedule.isExcluded(at)) slots.push({ schedule, at })
    }
    return { slots }
  } catch (error) {
    if (error instanceof AudienceError) return { slots: [], problem: error }
    throw error
  }
}
