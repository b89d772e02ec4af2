import { findTriggers } from '../../../acts/find-trigger.ts'
import { byTrigger, triggerName, triggerRefOf } from '../../../core/occurrence.ts'
import type { OccurrenceFilter } from '../../../state/occurrence-store.ts'
import { fileFacts } from '../../../status/file-facts.ts'
import { ignoredFiles } from '../../../status/ignored-files.ts'
import { removedSchedules } from '../../../status/removed-schedules.ts'
import { waitingSets } from '../../../status/waiting-sets.ts'
import { createShares } from '../../../triggers/after/shares-mark.ts'
import { pathOf } from '../../../triggers/watch/watch.ts'
import type { ApiInputOf } from '../../api/operations.ts'
import type { ApiHandlers } from '../call.ts'
import { comingOf, pausesOf, scheduleOf, slotOf } from '../document-facts.ts'

const USUAL = 100
/** The number of upcoming slots that are listed for each schedule if the request has no `to`. */
const COMING_EACH = 10

export const slotHandlers = {
  /** The schedules, and the triggers that start runs after other pipelines, with their past and upcoming slots. */
  'slots.list': async (deps, input, { turn }) => {
    const { state, clock } = deps
    const now = clock.now()
    const to = input.to === undefined ? undefined : Date.parse(input.to)
    const limit = input.limit ?? USUAL
    const [pauses, summaries, ofSchedules, sets] = await Promise.all([
      pausesOf(deps),
      state.occurrences.summary(now),
      state.occurrences.list(filterOf(input, 'slot')),
      state.occurrences.list(filterOf(input, 'set')),
    ])
    const occurrences = [...ofSchedules, ...sets].toSorted((a, b) => b.at - a.at)
    await turn()
    const summaryOf = byTrigger(summaries)
    const schedules = findTriggers(deps.documents().values(), 'schedule', input).map((live) => scheduleOf(deps, live))
    const byName = new Map(schedules.map((schedule) => [triggerName(schedule.ref), schedule]))
    const listed = await Promise.all(
      schedules.map(async (schedule) => {
        const { ref } = schedule
        const { cron, timezone } = schedule.trigger
        const [next] = comingOf(schedule, { after: now, limit: 1, pauses })
        const [last] = await state.occurrences.list({ ...ref, limit: 1 })
        return {
          ...{ ...ref, cron, timezone, due: summaryOf(ref)?.due ?? 0 },
          pausedSince: pauses.get(triggerName(ref)),
          next,
          last: last && slotOf(last, schedule),
        }
      }),
    )
    const shares = createShares(deps.documents())
    const after = await Promise.all(
      findTriggers(deps.documents().values(), 'after', input).map(async (live) => {
        const { trigger } = live
        const ref = triggerRefOf(live)
        const [last] = await state.occurrences.list({ ...ref, limit: 1 })
        const waiting = await waitingSets({ ref, trigger }, { ends: state.ends, shares, now })
        return {
          ...{ ...ref, after: trigger.pipelines, on: trigger.on, due: summaryOf(ref)?.due ?? 0 },
          pausedSince: pauses.get(triggerName(ref)),
          waiting: waiting.map(({ runs, ...set }) => ({
            ...set,
            runs: Object.entries(runs).map(([pipeline, runId]) => ({ pipeline, runId })),
          })),
          last: last && slotOf(last, undefined),
        }
      }),
    )
    const removed = (await removedSchedules(deps.documents().values(), state.occurrences, input)).map(
      ({ commands: _, ...one }) => one,
    )
    await turn()
    const slots = occurrences
      .slice(0, limit)
      .map((occurrence) => slotOf(occurrence, byName.get(triggerName(occurrence))))
    await turn()
    const coming = schedules
      .flatMap((schedule) =>
        comingOf(schedule, {
          after: Math.max(now, input.from === undefined ? now : Date.parse(input.from) - 1),
          ...(to === undefined ? { limit: COMING_EACH } : { to, limit: limit + 1 }),
          pauses,
        }),
      )
      .sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
    return {
      ...{ schedules: listed, after, removed, slots, hasOlder: occurrences.length > limit },
      ...{ coming: coming.slice(0, limit), hasLater: to !== undefined && coming.length > limit },
    }
  },

  /** The watched folders, and the outcomes of their files. */
  'files.list': async (deps, input) => {
    const { state, clock } = deps
    const limit = input.limit ?? USUAL
    const [pauses, summaries, occurrences] = await Promise.all([
      pausesOf(deps),
      state.occurrences.summary(clock.now()),
      state.occurrences.list(filterOf(input, 'file')),
    ])
    const summaryOf = byTrigger(summaries)
    return {
      folders: await Promise.all(
        findTriggers(deps.documents().values(), 'watch', input).map(async (watch) => {
          const ref = triggerRefOf(watch)
          return {
            ...ref,
            path: pathOf(watch),
            pattern: watch.trigger.pattern,
            open: summaryOf(ref)?.open ?? 0,
            pausedSince: pauses.get(triggerName(ref)),
            ignored: await ignoredFiles(state.occurrences, ref),
          }
        }),
      ),
      files: await Promise.all(occurrences.slice(0, limit).map(fileFacts)),
      hasOlder: occurrences.length > limit,
    }
  },
} satisfies Partial<ApiHandlers>

/** Asks for one more entry than is shown, to find out whether there are older entries. */
function filterOf(
  { pipeline, trigger, from, to, limit = USUAL }: ApiInputOf<'slots.list'>,
  kind: OccurrenceFilter['kind'],
): OccurrenceFilter {
  return {
    limit: limit + 1,
    kind,
    pipeline,
    trigger,
    from: from === undefined ? undefined : Date.parse(from),
    to: to === undefined ? undefined : Date.parse(to),
  }
}
