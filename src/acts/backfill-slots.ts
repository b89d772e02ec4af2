import type { SteadyClock } from '../core/clock.ts'
import { type AudienceError, usageError } from '../core/errors.ts'
import { count } from '../core/format/figures.ts'
import { isoTime } from '../core/iso-time.ts'
import { type TriggerRef, triggerName } from '../core/occurrence.ts'
import type { Actor } from '../core/run.ts'
import type { OccurrenceStore } from '../state/occurrence-store.ts'
import type { Slot } from '../triggers/schedule/classify-slots.ts'
import { askedBy, type Backfill, decideBackfill } from '../triggers/schedule/decide-backfill.ts'
import type { Schedule } from '../triggers/schedule/schedule.ts'

/** The period of a backfill, or of its withdrawal. `slotPeriod` creates it. */
export interface SlotPeriod {
  /** In milliseconds since 1970; a slot at `to` is not included. */
  readonly from: number
  readonly to: number
  /** The names of the two ends of the period, as the caller's users know them. Messages use these names. */
  readonly words: { readonly from: string; readonly to: string }
}

interface BackfillDeps {
  occurrences: Pick<OccurrenceStore, 'find' | 'list' | 'note'>
  clock: Pick<SteadyClock, 'now'>
}

/** The result of a backfill. */
export interface MadeBackfill extends Backfill {
  /** How many slots this call had chosen, but another process noted first. That process decides about them. */
  readonly taken: number
}

/** The maximum number of slots of one schedule that a single act may make due. */
const MOST_SLOTS = 10_000

/** Returns the period. Throws `bad-range` if the period is empty or begins in the future. */
export function slotPeriod(
  { from, to }: Pick<SlotPeriod, 'from' | 'to'>,
  now: number,
  words: SlotPeriod['words'] = { from: '`from`', to: '`to`' },
): SlotPeriod {
  if (to <= from)
    throw badRange(`${words.to} is not after ${words.from}`, `a slot at the time of ${words.to} is not included`)
  if (from > now) throw badRange(`${words.from} is in the future`, 'future slots run automatically')
  return { from, to, words }
}

/**
 * Makes the slots of a period due, for each schedule, and resolves with them. Each schedule gets an entry in the audit
 * log. If two processes request the same slot at the same moment, only one makes it due. With `dryRun` it writes
 * nothing. Throws `too-many-slots` if one of the schedules has too many; in that case, nothing has been written.
 */
export async function backfillSlots<Asked extends { readonly schedule: Schedule; readonly period: SlotPeriod }>(
  all: readonly Asked[],
  options: { onlyMissing: boolean; dryRun?: boolean; actor: Actor },
  { occurrences, clock }: BackfillDeps,
): Promise<readonly (Asked & { readonly backfill: MadeBackfill })[]> {
  const { onlyMissing, dryRun = false, actor } = options
  const now = clock.now()
  const decided: (Asked & { readonly backfill: Backfill })[] = []
  for (const asked of all) {
    const { from, to } = asked.period
    const range = { from, to: Math.min(to, now + 1), onlyMissing, limit: MOST_SLOTS }
    const backfill = await decideBackfill(asked.schedule, occurrences, range)
    if (backfill.tooMany) throw tooMany(asked.schedule.ref, asked.period)
    decided.push({ ...asked, backfill })
  }
  const made: (Asked & { readonly backfill: MadeBackfill })[] = []
  for (const asked of decided) {
    const { due } = asked.backfill
    const noted = dryRun || due.length === 0 ? due : await makeDue(due, asked, actor, occurrences)
    made.push({ ...asked, backfill: { ...asked.backfill, due: noted, taken: due.length - noted.length } })
  }
  return made
}

/**
 * Resolves with only the slots that this call made due, because another process may have noted some in the meantime.
 */
async function makeDue(
  due: readonly Slot[],
  { schedule, period }: { schedule: Schedule; period: SlotPeriod },
  actor: Actor,
  occurrences: BackfillDeps['occurrences'],
): Promise<readonly Slot[]> {
  const noted = await occurrences.note(schedule.ref, {
    occurrences: askedBy(due, actor.by),
    known: 'keep',
    act: (slots) => (slots === 0 ? undefined : { ...actor, act: 'schedule.backfill', detail: detailOf(period, slots) }),
  })
  return among(due, noted)
}

function among<Slot extends { readonly key: string }>(slots: readonly Slot[], keys: readonly string[]) {
  const noted = new Set(keys)
  return slots.filter(({ key }) => noted.has(key))
}

/**
 * Undoes a backfill: skips the slots of a period that are still due. Slots that have a run keep it. The audit log gets
 * an entry. Resolves with the times of these slots, newest first; with `dryRun`, only returns them.
 */
export async function withdrawSlots(
  ref: TriggerRef,
  { period, actor, dryRun = false }: { period: SlotPeriod; actor: Actor; dryRun?: boolean },
  { occurrences }: Pick<BackfillDeps, 'occurrences'>,
): Promise<readonly number[]> {
  const { from, to } = period
  const due = await occurrences.list({ ...ref, from, to, state: ['due'], limit: Number.MAX_SAFE_INTEGER })
  if (dryRun) return due.map(({ at }) => at)
  const noted = await occurrences.note(ref, {
    occurrences: due.map(({ key, at }) => ({ key, at, state: 'skipped', reason: 'withdrawn' })),
    act: (slots) => ({ ...actor, act: 'schedule.withdraw', detail: detailOf(period, slots) }),
  })
  // The run of a slot may have begun in the meantime.
  return among(due, noted).map(({ at }) => at)
}

/** The text of the audit log about a backfill, or about its withdrawal. */
function detailOf({ from, to }: SlotPeriod, slots: number): string {
  const period = [from, to].map((ms) => isoTime(ms)).join(' to ')
  return `${period}, ${count(slots, 'slot')}`
}

function badRange(message: string, hint: string): AudienceError {
  return usageError('bad-range', message, hint)
}

function tooMany(ref: TriggerRef, { words }: SlotPeriod): AudienceError {
  return usageError(
    'too-many-slots',
    `${triggerName(ref)} has more than ${count(MOST_SLOTS, 'slot')} to run in that period`,
    `nothing was changed; give a shorter period with ${words.from} and ${words.to}`,
  )
}
