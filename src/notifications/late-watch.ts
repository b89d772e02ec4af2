import { DAY_MS, isAhead } from '../core/duration.ts'
import type { Occurrence, TriggerRef } from '../core/occurrence.ts'
import type { Pipeline } from '../core/pipeline.ts'
import type { ScheduleTrigger } from '../core/trigger.ts'
import type { State } from '../state/state.ts'
import { deadlineOf } from '../triggers/schedule/deadline-of.ts'

/** A run that has not ended in time. */
export interface Lateness {
  readonly occurrence: Occurrence
  readonly deadlineMs: number
  /** Name of the schedule's time zone. */
  readonly zone: string
  /** Set if the run has ended since. */
  readonly finishedAt?: number
}

interface LateRuns {
  readonly untilMs: number
  readonly late: readonly Lateness[]
}

/** How long after its deadline a run may still be recorded, for example a catch-up run right after a start. */
const GRACE_MS = 60_000
/** After a stop that is longer than this, deadlines further back are ignored. */
const MAX_BACK_MS = 2 * DAY_MS
/** The maximum number of slots of one trigger that are checked for one deadline: one a minute. */
const MAX_SLOTS = 1500

/** Checks the runs of schedules with a deadline, once for each deadline. */
export function createLateWatch(deps: {
  pipelines: ReadonlyMap<string, Pipeline>
  state: Pick<State, 'runs' | 'occurrences'>
}) {
  const { pipelines, state } = deps
  let known: readonly Pipeline[] = []
  let deadlines: readonly Deadline[] = []
  /** There is no deadline between these two instants. */
  let lookedUntilMs = Number.NaN
  let nextMs = Number.NEGATIVE_INFINITY

  function refresh(): void {
    const now = [...pipelines.values()]
    if (now.length === known.length && now.every((pipeline, index) => pipeline === known[index])) return
    known = now
    deadlines = deadlinesOf(now)
    nextMs = Number.NEGATIVE_INFINITY
  }

  async function lateAt(deadline: Deadline, deadlineMs: number): Promise<Lateness[]> {
    const range = { from: deadline.before(deadlineMs), to: deadlineMs, limit: MAX_SLOTS }
    const late: Lateness[] = []
    for (const ref of deadline.triggers) {
      for (const occurrence of await state.occurrences.list({ ...ref, state: ['due', 'ran'], ...range })) {
        const run = occurrence.runId === undefined ? undefined : await state.runs.find(occurrence.runId)
        if (occurrence.runId !== undefined && !run) continue
        const { finishedAt } = run ?? {}
        if (finishedAt !== undefined && finishedAt <= deadlineMs) continue
        late.push({ occurrence, deadlineMs, zone: deadline.zone, finishedAt })
      }
    }
    return late
  }

  return {
    /**
     * Returns the runs that were late at deadlines after `sinceMs`, and the instant up to which deadlines have been
     * checked; undefined if there was no deadline to check. A call that finds nothing to do is cheap.
     */
    async look(sinceMs: number, nowMs: number): Promise<LateRuns | undefined> {
      refresh()
      const untilMs = nowMs - GRACE_MS
      // The clock was ahead, so deadlines that are still to come may have been checked already.
      if (isAhead(sinceMs, nowMs)) return { untilMs, late: [] }
      // If the last result could not be stored, the same deadlines are checked again.
      const isQuiet = sinceMs === lookedUntilMs && untilMs < nextMs
      if (isQuiet || untilMs <= sinceMs) return undefined
      const from = Math.max(sinceMs, untilMs - MAX_BACK_MS)
      const late: Lateness[] = []
      nextMs = Number.POSITIVE_INFINITY
      for (const deadline of deadlines) {
        let deadlineMs = deadline.after(from)
        while (deadlineMs <= untilMs) {
          late.push(...(await lateAt(deadline, deadlineMs)))
          deadlineMs = deadline.after(deadlineMs)
        }
        nextMs = Math.min(nextMs, deadlineMs)
      }
      lookedUntilMs = untilMs
      return { untilMs, late }
    },
  }
}

/** A time of day in a zone, shared by all triggers that use it, because computing it is expensive. */
interface Deadline {
  readonly zone: string
  readonly triggers: TriggerRef[]
  /** The next deadline after an instant, and the last deadline before a given one. */
  after(ms: number): number
  before(deadlineMs: number): number
}

function deadlinesOf(pipelines: readonly Pipeline[]): readonly Deadline[] {
  const deadlines = new Map<string, Deadline>()
  for (const pipeline of pipelines) {
    for (const trigger of pipeline.triggers) {
      if (trigger.kind !== 'schedule' || trigger.deadline === undefined) continue
      const name = `${trigger.deadline} ${trigger.timezone}`
      const deadline = deadlines.get(name) ?? newDeadline(trigger)
      deadlines.set(name, deadline)
      deadline.triggers.push({ pipeline: pipeline.name, trigger: trigger.id })
    }
  }
  return [...deadlines.values()]
}

function newDeadline(trigger: ScheduleTrigger): Deadline {
  const after = (ms: number) => deadlineOf(trigger, ms) ?? Number.POSITIVE_INFINITY
  return {
    zone: trigger.timezone,
    triggers: [],
    after,
    before(deadlineMs) {
      // A day can have 25 hours or more.
      let before = after(deadlineMs - 2 * DAY_MS)
      for (let next = before; next < deadlineMs; next = after(next)) before = next
      return before
    },
  }
}
