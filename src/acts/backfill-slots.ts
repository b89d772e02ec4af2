import type { SteadyClock } from '../core/clock.ts'
import { AudienceError } from '../core/errors.ts'
import { isoTime } from '../core/iso-time.ts'
import { type TriggerRef, triggerName } from '../core/occurrence.ts'
import type { Actor } from '../core/run.ts'
import type { OccurrenceStore } from '../state/occurrence-store.ts'
import { askedBy, type Backfill, decideBackfill } from '../triggers/schedule/decide-backfill.ts'
import type { Schedule } from '../triggers/schedule/schedule.ts'

/** Made by `slotPeriod`. */
export interface SlotPeriod {
  /** In milliseconds since 1970; a slot at `to` is not included. */
  readonly from: number
  readonly to: number
  /** What the caller's users call the two ends, for messages. */
  readonly words: { readonly from: string; readonly to: string }
}

interface BackfillDeps {
  readonly occurrences: Pick<OccurrenceStore, 'find' | 'list' | 'note'>
  readonly clock: Pick<SteadyClock, 'now'>
}

/** The most slots of one schedule that one act makes due. */
const MOST_SLOTS = 10_000

/** Returns the period. Throws `bad-range` if no slot of it can have come yet. */
export function slotPeriod(
  { from, to }: Pick<SlotPeriod, 'from' | 'to'>,
  now: number,
  words: SlotPeriod['words'] = { from: '`from`', to: '`to`' },
): SlotPeriod {
  if (to <= from)
    throw badRange(`${words.to} is not after ${words.from}`, `a slot at the time of ${words.to} is not included`)
  if (from > now) throw badRange(`${words.from} is in the future`, 'slots that have not come yet run by themselves')
  return { from, to, words }
}

/**
 * Makes the slots of a period due, for each schedule, and resolves with them. Each schedule gets an entry in the audit
 * log. With `dryRun` it writes nothing. Throws `too-many-slots` if one of the schedules has too many; then nothing was
 * written.
 */
export async function backfillSlots<Asked extends { readonly schedule: Schedule; readonly period: SlotPeriod }>(
  all: readonly Asked[],
  options: { readonly onlyMissing: boolean; readonly dryRun?: boolean; readonly actor: Actor },
  { occurrences, clock }: BackfillDeps,
): Promise<readonly (Asked & { readonly backfill: Backfill })[]> {
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
  for (const { schedule, period, backfill } of decided) {
    const { due } = backfill
    if (dryRun || due.length === 0) continue
    const act = { ...actor, act: 'schedule.backfill', detail: detailOf(period, due.length) } as const
    await occurrences.note(schedule.ref, { occurrences: askedBy(due, actor.by), act })
  }
  return decided
}

/**
 * Undoes a backfill: skips the slots of a period that are still due. Slots that have a run keep it. The audit log gets
 * an entry. Resolves with the times of these slots, newest first; with `dryRun` it only returns them.
 */
export async function withdrawSlots(
  ref: TriggerRef,
  { period, actor, dryRun = false }: { readonly period: SlotPeriod; readonly actor: Actor; readonly dryRun?: boolean },
  { occurrences }: Pick<BackfillDeps, 'occurrences'>,
): Promise<readonly number[]> {
  const { from, to } = period
  const due = await occurrences.list({ ...ref, from, to, state: ['due'], limit: Number.MAX_SAFE_INTEGER })
  if (!dryRun) {
    const act = { ...actor, act: 'schedule.withdraw', detail: detailOf(period, due.length) } as const
    const withdrawn = due.map(({ key, at }) => ({ key, at, state: 'skipped', reason: 'withdrawn' }) as const)
    await occurrences.note(ref, { occurrences: withdrawn, act })
  }
  return due.map(({ at }) => at)
}

/** What the audit log says of a backfill, and of its withdrawal. */
function detailOf({ from, to }: SlotPeriod, slots: number): string {
  const period = [from, to].map((ms) => isoTime(ms)).join(' to ')
  return `${period}, ${slots} ${slots === 1 ? 'slot' : 'slots'}`
}

function badRange(message: string, hint: string): AudienceError {
  return new AudienceError({ code: 'bad-range', kind: 'usage', message, hint })
}

function tooMany(ref: TriggerRef, { words }: SlotPeriod): AudienceError {
  return new AudienceError({
    code: 'too-many-slots',
    kind: 'usage',
    message: `${triggerName(ref)} has more than ${MOST_SLOTS} slots to run in that time`,
    hint: `nothing was changed; give a shorter time with ${words.from} and ${words.to}`,
  })
}
