import type { Logger } from 'pino'
import type { Clock } from '../../core/clock.ts'
import type { Due } from '../../core/due-heap.ts'
import { isAhead } from '../../core/duration.ts'
import type { Fire, Firing } from '../../core/fire.ts'
import { isoTime } from '../../core/iso-time.ts'
import type { Occurrence } from '../../core/occurrence.ts'
import type { OccurrenceStore } from '../../state/occurrence-store.ts'
import { fireDue } from '../fire-due.ts'
import { catchUpAgain, classifySlots, cursorAt } from './classify-slots.ts'
import type { LiveSchedule } from './live-schedule.ts'
import { noteSlots } from './note-slots.ts'
import type { Schedule } from './schedule.ts'

/** The dependencies of a scheduler. */
export interface SchedulerDeps {
  occurrenceStore: OccurrenceStore
  fire: Fire
  clock: Clock
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Throws if a file of days off may not be read. Checks the current targets of symbolic links. */
  checkFile: (path: string) => void
}

/** A schedule in use. */
export interface Kept extends Due {
  live: LiveSchedule
  schedule: Schedule
  /** The work in progress on this schedule, if any; no other work on it starts until it ends. */
  work: Promise<void> | undefined
  /** The last work failed: it is tried again soon, whatever the clock does. */
  failed: boolean
}

/**
 * Accounts for the slots whose time has come, fires those that are due, and sets the time of the next check. Rejects if
 * the state fails.
 */
export async function keepSchedule(kept: Kept, deps: SchedulerDeps, signal: AbortSignal): Promise<void> {
  kept.dueAt = await account(kept, deps, signal)
  await fireDue(kept.schedule.ref, (slot) => firingOf(slot, kept), deps, signal)
}

/**
 * Finishes a schedule that is no longer in use: handles the slots whose time has come, then clears the times stored
 * with the cursor, so that a schedule that the document adds later begins then. Rejects if the state fails.
 */
export async function leaveSchedule(kept: Kept, deps: SchedulerDeps, signal: AbortSignal): Promise<void> {
  if ((await cursorNow(kept.schedule, deps)) === undefined) await keepSchedule(kept, deps, signal)
  await moveCursor(kept, deps, '')
}

/** Moves the cursor to now if every slot whose time has come is accounted for. Rejects if the state fails. */
export async function moveCursor({ schedule }: Kept, deps: SchedulerDeps, times = schedule.times): Promise<void> {
  const cursor = await cursorNow(schedule, deps)
  if (cursor !== undefined) await deps.occurrenceStore.note(schedule.ref, { cursor, times })
}

/**
 * The instant up to which every slot is accounted for; undefined if a slot whose time has come is not accounted for.
 */
async function cursorNow(schedule: Schedule, { occurrenceStore, clock }: SchedulerDeps): Promise<number | undefined> {
  const memory = (await occurrenceStore.memory(schedule.ref)) ?? {}
  const { slots, cursor } = classifySlots(schedule, memory, clock.now(), 1)
  return slots.length === 0 ? cursor : undefined
}

/** Notes the slots whose time has come; resolves to the time of the next slot. */
async function account(kept: Kept, deps: SchedulerDeps, signal: AbortSignal): Promise<number> {
  const { occurrenceStore, clock, log } = deps
  const { ref, times } = kept.schedule
  while (!signal.aborted) {
    await correctCursor(kept.schedule, deps)
    const { noted, decision } = await noteSlots(kept.schedule, occurrenceStore, clock.now())
    // The schedule is new, or has new times, so it begins now.
    if ((await occurrenceStore.memory(ref))?.times !== times)
      await occurrenceStore.note(ref, { cursor: decision.cursor, times })
    for (const { key, state, reason } of noted) {
      if (state !== 'due') log.info({ ...ref, slot: key, reason }, `slot ${state}`)
    }
    if (!decision.more) return decision.nextAt ?? Number.POSITIVE_INFINITY
  }
  return kept.dueAt
}

/**
 * Sets the cursor back to the present if it lies ahead, because the clock was ahead. Slots that ran too early do not
 * run again; the others are decided when they come. Slots that came since the clock was set right, while nothing ran,
 * are caught up.
 */
async function correctCursor(schedule: Schedule, { occurrenceStore, clock, log }: SchedulerDeps): Promise<void> {
  const { ref } = schedule
  const memory = await occurrenceStore.memory(ref)
  const from = memory?.cursor
  const now = clock.now()
  if (from === undefined || !isAhead(from, now)) return
  const to = cursorAt(schedule, now)
  const missed = await missedUntil(schedule, to, { occurrenceStore, now })
  const occurrences = catchUpAgain(schedule, memory ?? {}, missed, now)
  // This comes first, because afterwards the cursor no longer shows that the clock was ahead.
  if (occurrences.length > 0) await occurrenceStore.note(ref, { occurrences, known: 'missed' })
  const undecided = await occurrenceStore.rewind(ref, { from, to })
  if (undecided === undefined) return
  const text = 'the clock was ahead and was set back: slots in the future will come again, unless they have already run'
  log.warn({ ...ref, decidedUntil: isoTime(from), undecided }, text)
}

/** The slots that were missed and that may still be caught up, newest first. */
function missedUntil(
  { ref, trigger }: Schedule,
  to: number,
  { occurrenceStore, now }: Pick<SchedulerDeps, 'occurrenceStore'> & { now: number },
): Promise<readonly Occurrence[]> {
  const range = { from: now - trigger.catchupWindowMs, to: to + 1, limit: Number.MAX_SAFE_INTEGER }
  return occurrenceStore.list({ ...ref, ...range, kind: 'slot', state: ['missed'] })
}

function firingOf({ key, at, detail }: Occurrence, { live, schedule }: Kept): Firing {
  const { pipeline, trigger } = live
  const { date, time } = schedule.dayOf(at)
  // Several such slots become due at the same time. Skipping or cancelling all but one would defeat the catch-up.
  const waits = detail?.catchUp === true && trigger.overlap !== 'allow'
  return {
    pipeline,
    trigger: waits ? { ...trigger, overlap: 'queue' } : trigger,
    key,
    at,
    detail,
    values: { date, time, timezone: trigger.timezone },
  }
}
