import { HOUR_MS, isAhead, ON_TIME_MS } from '../../core/duration.ts'
import type { Occurrence, TriggerRef } from '../../core/occurrence.ts'
import type { TriggerMemory } from '../../state/occurrence-store.ts'
import { type Schedule, slotKey } from './schedule.ts'

/** A slot to note: `due`, `skipped` or `missed`. */
export type Slot = Omit<Occurrence, keyof TriggerRef>

/**
 * Marks a slot that is due although its time has passed. Its run waits for the run before it, whatever `overlap` says.
 */
export const CATCH_UP = { catchUp: true } as const

export interface SlotDecision {
  /** The slots to note, in order; those that are due will be fired. */
  readonly slots: readonly Slot[]
  /** Once these slots are noted, every slot up to here is accounted for. */
  readonly cursor: number
  /** Whether there are more slots than one decision handles; if so, decide again immediately. */
  readonly more: boolean
  /** When the next slot comes, jitter included; undefined if there is no further slot. */
  readonly nextAt?: number
}

/**
 * Where a cursor belongs when the clock is right again: before every slot that is in the future, is waiting for its
 * jitter, or would still be on time.
 */
export function cursorAt(schedule: Schedule, now: number): number {
  const before = now - ON_TIME_MS
  // The time of every slot that is at least as old as the jitter has come.
  for (const slot of schedule.slotsAfter(before - schedule.trigger.jitterMs - 1))
    if (schedule.startOf(slot) > before) return Math.min(before, slot - 1)
  return before
}

/**
 * The given missed slots (newest first) that are due if they are decided now. Decisions from a time when the clock was
 * ahead do not count; the schedule's catch-up rule applies. Slots that were counted as missed while the clock was right
 * stay missed.
 */
export function catchUpAgain(
  schedule: Schedule,
  memory: Pick<TriggerMemory, 'pausedAt'>,
  missed: readonly Occurrence[],
  now: number,
): readonly Slot[] {
  const oldest = missed.at(-1)
  if (oldest === undefined) return []
  const known = new Set(missed.map(({ key }) => key))
  const again = { pausedAt: memory.pausedAt, cursor: oldest.at - 1 }
  const { slots } = classifySlots(schedule, again, now, Number.POSITIVE_INFINITY)
  return slots.filter(({ key, state }) => state === 'due' && known.has(key))
}

/**
 * The maximum number of slots that one decision handles, because a schedule that fires every minute can be years
 * behind.
 */
const MAX_SLOTS = 500

/**
 * Decides the outcomes of the slots whose time has come since the cursor, in order, at most `limit` of them. A trigger
 * without a stored cursor, or with changed times, begins now. Pure except for reading the days off. The reasons for
 * `skipped` are `paused` and `excluded`. The reasons for `missed` are `down` (nothing ran at its time), `superseded` (a
 * later slot runs instead) and `expired` (older than the catch-up window).
 */
export function classifySlots(
  schedule: Schedule,
  memory: Pick<TriggerMemory, 'cursor' | 'times' | 'pausedAt'>,
  now: number,
  limit = MAX_SLOTS,
): SlotDecision {
  const isOfThese = memory.times === undefined || memory.times === schedule.times
  const after = isOfThese ? (memory.cursor ?? now) : now
  const { come, next } = slotsCome(schedule, after, now, limit)
  const more = next !== undefined && schedule.startOf(next) <= now
  const classify = classifierOf(schedule, memory, after, now)
  return {
    slots: come.map((slot) => ({ key: slotKey(slot), at: slot, ...classify(slot) })),
    cursor: more ? (come.at(-1) ?? after) : Math.max(after, Math.min(now, (next ?? now + 1) - 1)),
    more,
    nextAt: next === undefined ? undefined : schedule.startOf(next),
  }
}

/**
 * The slots whose time has come, in order. A slot waits for the slots before it, whatever their jitter. `next` is the
 * first slot that is not included.
 */
function slotsCome(schedule: Schedule, after: number, now: number, limit: number): { come: number[]; next?: number } {
  const come: number[] = []
  for (const slot of schedule.slotsAfter(after)) {
    if (come.length === limit || schedule.startOf(slot) > now) return { come, next: slot }
    come.push(slot)
  }
  return { come }
}

function classifierOf(
  schedule: Schedule,
  memory: Pick<TriggerMemory, 'pausedAt'>,
  after: number,
  now: number,
): (slot: number) => Pick<Slot, 'state' | 'reason' | 'detail'> {
  const { missed, catchupWindowMs } = schedule.trigger
  const pausedAt = pauseStart(memory, now)
  let last: number | undefined
  // If a slot must wait for the jitter of an earlier slot, both become due at the same time.
  let cameAt = Number.NEGATIVE_INFINITY
  return (slot) => {
    cameAt = Math.max(cameAt, schedule.startOf(slot))
    if (cameAt >= pausedAt) return { state: 'skipped', reason: 'paused' }
    if (schedule.isExcluded(slot)) return { state: 'skipped', reason: 'excluded' }
    if (now - cameAt <= ON_TIME_MS) return { state: 'due' }
    if (missed === 'none') return { state: 'missed', reason: 'down' }
    if (now - slot > catchupWindowMs) return { state: 'missed', reason: 'expired' }
    if (missed === 'all') return { state: 'due', detail: CATCH_UP }
    last ??= lastToRun(schedule, after, Math.min(now, pausedAt - 1))
    return slot === last ? { state: 'due' } : { state: 'missed', reason: 'superseded' }
  }
}

/** The time from which slots are paused. A pause that was recorded while the clock was ahead began before now. */
function pauseStart({ pausedAt }: Pick<TriggerMemory, 'pausedAt'>, now: number): number {
  if (pausedAt === undefined) return Number.POSITIVE_INFINITY
  return isAhead(pausedAt, now) ? Number.NEGATIVE_INFINITY : pausedAt
}

/** The last slot after `after` whose time has come and that is not on an excluded day. Searches backwards from now. */
function lastToRun(schedule: Schedule, after: number, now: number): number | undefined {
  // The time of every slot that is at least as old as the jitter has come.
  const recent = schedule.slotsAfter(Math.max(after, now - schedule.trigger.jitterMs - 1))
  let end = now + 1
  for (const slot of recent) {
    if (schedule.startOf(slot) <= now) continue
    end = slot
    break
  }
  for (let width = HOUR_MS; ; width *= 2) {
    const from = Math.max(after, end - width)
    let last: number | undefined
    for (const slot of schedule.slotsAfter(from)) {
      if (slot >= end) break
      if (!schedule.isExcluded(slot)) last = slot
    }
    if (last !== undefined || from === after) return last
  }
}
