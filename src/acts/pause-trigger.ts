import type { SteadyClock } from '../core/clock.ts'
import type { TriggerRef } from '../core/occurrence.ts'
import type { Actor } from '../core/run.ts'
import type { Ends } from '../state/ends.ts'
import type { OccurrenceStore } from '../state/occurrence-store.ts'
import { accountForEnds, type NamedAfter } from '../triggers/after/account-for-ends.ts'
import type { SharesMark } from '../triggers/after/shares-mark.ts'
import { accountForPause } from '../triggers/schedule/note-slots.ts'
import type { Schedule } from '../triggers/schedule/schedule.ts'

interface PauseDeps {
  occurrences: Pick<OccurrenceStore, 'memory' | 'find' | 'note' | 'pause' | 'unpause'>
  clock: Pick<SteadyClock, 'now'>
}

/**
 * Pauses a trigger. If the trigger is already paused, it keeps the time of that pause: `pausedAt`, in milliseconds
 * since 1970.
 */
export async function pauseTrigger(
  ref: TriggerRef,
  actor: Actor,
  { occurrences, clock }: PauseDeps,
): Promise<{ readonly pausedAt: number; readonly wasPaused: boolean }> {
  const before = (await occurrences.memory(ref))?.pausedAt
  const now = clock.now()
  await occurrences.pause(ref, now, actor)
  return { pausedAt: before ?? now, wasPaused: before !== undefined }
}

/** A trigger that may be paused. */
export type Pausable =
  | { readonly ref: TriggerRef; readonly kind: 'schedule'; readonly schedule: Schedule }
  | { readonly ref: TriggerRef; readonly kind: 'watch' }
  | (NamedAfter & { readonly kind: 'after'; readonly shares: SharesMark })

/**
 * Resumes a trigger. Slots, and sets of ended runs, that came during the pause while no daemon was running are recorded
 * as skipped; `skipped` counts them.
 */
export async function resumeTrigger(
  trigger: Pausable,
  actor: Actor,
  { occurrences, ends, clock }: PauseDeps & { ends: Ends },
): Promise<{ readonly wasPaused: boolean; readonly skipped: number }> {
  const { ref } = trigger
  const pausedAt = (await occurrences.memory(ref))?.pausedAt
  const now = clock.now()
  let skipped = 0
  if (pausedAt !== undefined && trigger.kind === 'schedule')
    skipped = await accountForPause(trigger.schedule, occurrences, now)
  if (pausedAt !== undefined && trigger.kind === 'after') {
    const { decided } = await accountForEnds(trigger, { ends, shares: trigger.shares, now, pausedAt })
    skipped = decided.filter(({ occurrence }) => occurrence.state === 'skipped').length
  }
  await occurrences.unpause(ref, actor)
  return { wasPaused: pausedAt !== undefined, skipped }
}
