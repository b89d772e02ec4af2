import type { SteadyClock } from '../core/clock.ts'
import type { TriggerRef } from '../core/occurrence.ts'
import type { Actor } from '../core/run.ts'
import type { OccurrenceStore } from '../state/occurrence-store.ts'
import { accountForPause } from '../triggers/schedule/note-slots.ts'
import type { Schedule } from '../triggers/schedule/schedule.ts'

interface PauseDeps {
  readonly occurrences: Pick<OccurrenceStore, 'memory' | 'find' | 'note' | 'pause' | 'unpause'>
  readonly clock: Pick<SteadyClock, 'now'>
}

/** Pauses a trigger. One that is paused stays so since then: `pausedAt`, in milliseconds since 1970. */
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

/**
 * Lets a trigger go on. Of a schedule, the slots of the pause that no daemon has seen are recorded as skipped; `skipped`
 * is how many.
 */
export async function resumeTrigger(
  { ref, schedule }: { readonly ref: TriggerRef; readonly schedule?: Schedule | undefined },
  actor: Actor,
  { occurrences, clock }: PauseDeps,
): Promise<{ readonly wasPaused: boolean; readonly skipped: number }> {
  const wasPaused = (await occurrences.memory(ref))?.pausedAt !== undefined
  const skipped = schedule && wasPaused ? await accountForPause(schedule, occurrences, clock.now()) : 0
  await occurrences.unpause(ref, actor)
  return { wasPaused, skipped }
}
