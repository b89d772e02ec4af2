import { backfillSlots, type SlotPeriod, slotPeriod, withdrawSlots } from '../../../acts/backfill-slots.ts'
import { findTrigger, findTriggers, requireSchedule } from '../../../acts/find-trigger.ts'
import { type Pausable, pauseTrigger, resumeTrigger } from '../../../acts/pause-trigger.ts'
import { isoTime } from '../../../core/iso-time.ts'
import type { TriggerRef } from '../../../core/occurrence.ts'
import { createShares } from '../../../triggers/after/shares-mark.ts'
import type { ApiHandlers } from '../call.ts'
import type { ConsoleDeps } from '../console-deps.ts'
import { scheduleOf } from '../document-facts.ts'

export const scheduleHandlers = {
  'schedules.pause': async (deps, { pipeline, trigger }, { actor }) => {
    const { ref } = anyTrigger(deps, { pipeline, trigger })
    const { pausedAt } = await pauseTrigger(ref, actor, partsOf(deps))
    return { pausedSince: isoTime(pausedAt) }
  },

  'schedules.resume': async (deps, { pipeline, trigger }, { actor }) => {
    const found = anyTrigger(deps, { pipeline, trigger })
    const { skipped } = await resumeTrigger(found, actor, partsOf(deps))
    return { skipped }
  },

  'schedules.backfill': async (deps, input, { actor }) => {
    const { pipeline, trigger, onlyMissing = false, dryRun = false } = input
    const schedule = scheduleOf(
      deps,
      findTrigger(deps.documents().values(), 'schedule', { pipeline, trigger }, deps.settings),
    )
    const options = { onlyMissing, dryRun, actor }
    const [done] = await backfillSlots([{ schedule, period: periodOf(input, deps) }], options, partsOf(deps))
    const { due = [], waiting = 0, ran = 0, excluded = 0, taken = 0 } = done?.backfill ?? {}
    const slots = due.slice(0, MOST_LISTED).map(({ at }) => isoTime(at))
    return { slots, count: due.length, waiting, ran, excluded, taken }
  },

  /** Undoes a backfill for slots that have no run yet, even if no document has the schedule any more. */
  'schedules.withdraw': async (deps, input, { actor }) => {
    const { pipeline, trigger, dryRun = false } = input
    const ref = { pipeline, trigger }
    const documents = [...deps.documents().values()]
    await requireSchedule(ref, { documents, occurrences: deps.state.occurrences, where: deps.settings })
    const options = { period: periodOf(input, deps), actor, dryRun }
    const slots = await withdrawSlots(ref, options, deps.state)
    return { slots: slots.slice(0, MOST_LISTED).map((at) => isoTime(at)), count: slots.length }
  },
} satisfies Partial<ApiHandlers>

const MOST_LISTED = 1000

function partsOf({ state: { occurrences, ends }, clock }: ConsoleDeps) {
  return { occurrences, ends, clock }
}

function periodOf({ from, to }: { from: string; to: string }, { clock }: ConsoleDeps): SlotPeriod {
  return slotPeriod({ from: Date.parse(from), to: Date.parse(to) }, clock.now())
}

function anyTrigger({ documents: read, settings }: ConsoleDeps, ref: TriggerRef): Pausable {
  const documents = read()
  const [watch] = findTriggers(documents.values(), 'watch', ref)
  if (watch) return { ref, kind: 'watch' }
  const [after] = findTriggers(documents.values(), 'after', ref)
  if (after) return { ref, trigger: after.trigger, kind: 'after', shares: createShares(documents) }
  const live = findTrigger(documents.values(), 'schedule', ref, settings)
  return { ref, kind: 'schedule', schedule: scheduleOf({ settings }, live) }
}
