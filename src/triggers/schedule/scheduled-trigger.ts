import type { Logger } from 'pino'
import type { Clock } from '../../core/clock.ts'
import type { Due } from '../../core/due-heap.ts'
import type { Fire, Firing } from '../../core/fire.ts'
import type { Occurrence, TriggerLedger } from '../../core/trigger-ledger.ts'
import { decideSlots } from './decide-slots.ts'
import type { LiveSchedule } from './live-schedule.ts'
import { noteSlots } from './note-slots.ts'
import type { Schedule } from './schedule.ts'

/** What a scheduler works with. */
export interface SchedulerMeans {
  readonly ledger: TriggerLedger
  readonly fire: Fire
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Throws where a file of days off may not be read; looks at where symbolic links lead now. */
  readonly checkFile: (path: string) => void
}

/** A schedule that is kept. */
export interface Kept extends Due {
  live: LiveSchedule
  schedule: Schedule
  /** The work on it, while there is some; nothing else is done to it then. */
  work: Promise<void> | undefined
  /** The clock was set back so far that its next slots are accounted for already, which has been told. */
  isAhead: boolean
  /** The last work failed: it is tried again soon, whatever the clock does. */
  failed: boolean
}

const FAR_AHEAD_MS = 3_600_000
/** How many due slots are read at a time. */
const BATCH = 100

/** Accounts for the slots that have come, and fires those that are due. Sets when to look again. Rejects where the state fails. */
export async function keepSchedule(kept: Kept, means: SchedulerMeans, signal: AbortSignal): Promise<void> {
  kept.dueAt = await account(kept, means, signal)
  await fireDue(kept, means, signal)
}

/**
 * For a schedule that is not kept any longer: what has come is seen to the end, and the cursor is left for nobody, so that
 * what the document says tomorrow begins then. Rejects where the state fails.
 */
export async function leaveSchedule(kept: Kept, means: SchedulerMeans, signal: AbortSignal): Promise<void> {
  if (cursorNow(kept.schedule, means) === undefined) await keepSchedule(kept, means, signal)
  await moveCursor(kept, means, '')
}

/** Moves the cursor to now where no slot has come that is not accounted for. Rejects where the state fails. */
export async function moveCursor({ schedule }: Kept, means: SchedulerMeans, times = schedule.times): Promise<void> {
  const cursor = cursorNow(schedule, means)
  if (cursor !== undefined) await means.ledger.note(schedule.ref, { cursor, times })
}

/** Until when every slot is accounted for; undefined where some have come that are not. */
function cursorNow(schedule: Schedule, { ledger, clock }: SchedulerMeans): number | undefined {
  const { slots, cursor } = decideSlots(schedule, ledger.memory(schedule.ref) ?? {}, clock.now(), 1)
  return slots.length === 0 ? cursor : undefined
}

/** Notes what becomes of the slots that have come; resolves with when the next one comes. */
async function account(kept: Kept, means: SchedulerMeans, signal: AbortSignal): Promise<number> {
  const { ledger, clock, log } = means
  const { ref, times } = kept.schedule
  while (!signal.aborted) {
    warnOfCursor(kept, ledger.memory(ref)?.cursor, means)
    const { noted, decision } = await noteSlots(kept.schedule, ledger, clock.now())
    // It begins now.
    if (ledger.memory(ref)?.times !== times) await ledger.note(ref, { cursor: decision.cursor, times })
    for (const { key, state, reason } of noted) {
      if (state !== 'due') log.info({ ...ref, slot: key, reason }, `slot ${state}`)
    }
    if (!decision.more) return decision.nextAt ?? Number.POSITIVE_INFINITY
  }
  return kept.dueAt
}

/** Nothing is fired twice; so after a clock that was wrong for days has been put right, nothing is fired for days. */
function warnOfCursor(kept: Kept, cursor: number | undefined, { clock, log }: SchedulerMeans): void {
  const isAhead = cursor !== undefined && cursor - clock.now() > FAR_AHEAD_MS
  if (isAhead && !kept.isAhead) {
    const until = new Date(cursor).toISOString()
    log.warn(
      { ...kept.schedule.ref, until },
      'the clock was set back: slots until then are accounted for already and do not run',
    )
  }
  kept.isAhead = isAhead
}

/** Oldest first, one after the other; none while a person has paused it. */
async function fireDue(kept: Kept, { ledger, fire }: SchedulerMeans, signal: AbortSignal): Promise<void> {
  const { ref } = kept.schedule
  for (;;) {
    const due = ledger.due(ref, BATCH)
    for (const occurrence of due) {
      if (signal.aborted || ledger.memory(ref)?.pausedAt !== undefined) return
      await fire(firingOf(occurrence, kept))
    }
    // A slot that stays due would be fired without end.
    if (due.length < BATCH || due.some((occurrence) => ledger.find(occurrence)?.state === 'due')) return
  }
}

function firingOf({ key, at, detail }: Occurrence, { live, schedule }: Kept): Firing {
  const { pipeline, trigger } = live
  const { date, time } = schedule.localTime(at)
  // Several of them come at once: to skip or cancel all but one is not what anybody means by catching up.
  const waits = detail?.catchUp === true && trigger.overlap !== 'allow'
  return {
    pipeline,
    trigger: waits ? { ...trigger, overlap: 'queue' } : trigger,
    key,
    at,
    ...(detail && { detail }),
    values: { date, time, timezone: trigger.timezone },
  }
}
