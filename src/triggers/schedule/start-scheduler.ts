import { DueHeap } from '../../core/due-heap.ts'
import type { AudienceError } from '../../core/errors.ts'
import type { TriggerRef } from '../../core/occurrence.ts'
import { type LiveSchedule, openSchedule, refOf } from './live-schedule.ts'
import { edited, type Schedule } from './schedule.ts'
import { type Kept, keepSchedule, leaveSchedule, moveCursor, type SchedulerDeps } from './scheduled-trigger.ts'

export interface Scheduler {
  /** Replaces the set of schedules. Work in progress on a removed schedule still finishes. */
  replace(schedules: readonly LiveSchedule[]): void
  /** Ends the work in progress. Resolves when nothing more will be fired. */
  stop(): Promise<void>
}

/**
 * The longest time between two checks. At the latest then, it notices a changed clock, a machine that slept, and a
 * backfill or a pause from another process.
 */
const LONGEST_SLEEP_MS = 10_000

/**
 * Runs schedules: notes each slot once and fires what is due, including slots left over from before and slots that a
 * backfill added. One timer serves all of them. It keeps nothing in memory: the occurrence store ensures that a slot fires once,
 * and a slot whose run could not be recorded is tried again.
 */
export function startScheduler(
  options: SchedulerDeps & {
    readonly schedules: readonly LiveSchedule[]
  },
): Scheduler {
  const { occurrenceStore, clock, log, checkFile } = options
  const heap = new DueHeap<Kept>()
  const kept = new Map<string, Kept>()
  /** The schedules that were removed in this process: each promise settles when the removal is complete. */
  const left = new Map<string, Promise<void>>()
  const over = new AbortController()
  let wake = new AbortController()

  replace(options.schedules)
  const loop = run()
  return {
    replace,
    async stop() {
      over.abort()
      wake.abort()
      await loop
      await Promise.all([...left.values(), ...[...kept.values()].map(({ work }) => work)])
      await Promise.all([...kept.values()].map((one) => moveCursor(one, options).catch(ignoring(one))))
    },
  }

  async function run(): Promise<void> {
    let lastSweep = Number.NEGATIVE_INFINITY
    while (!over.signal.aborted) {
      wake = new AbortController()
      const now = clock.now()
      for (let first = heap.first; first && first.dueAt <= now; first = heap.first) work(first)
      // A clock that was set back must not delay the next sweep.
      if (now < lastSweep || now - lastSweep >= LONGEST_SLEEP_MS) {
        lastSweep = now
        const hasDue = dueNow()
        for (const one of kept.values()) if (!one.work && (one.failed || hasDue(one))) work(one)
      }
      const ms = Math.min(LONGEST_SLEEP_MS, Math.max(0, (heap.first?.dueAt ?? Number.POSITIVE_INFINITY) - now))
      await clock.sleep(ms, wake.signal).catch((error: unknown) => {
        if (!wake.signal.aborted) throw error
      })
    }
  }

  /** Schedules with slots to fire that a backfill in another process added, or that are left over. */
  function dueNow(): (one: Kept) => boolean {
    try {
      const due = occurrenceStore.triggersDue().filter((ref) => occurrenceStore.memory(ref)?.pausedAt === undefined)
      const keys = new Set(due.map(keyOf))
      return ({ schedule }) => keys.has(keyOf(schedule.ref))
    } catch {
      // The work on each schedule will hit the same error, report it and try again.
      return () => true
    }
  }

  function work(one: Kept): void {
    heap.remove(one)
    const { schedule } = one
    one.work = keepSchedule(one, options, over.signal).then(
      () => {
        if (one.schedule !== schedule) one.dueAt = clock.now()
        settle(one, false)
      },
      (error: unknown) => {
        const text = 'the schedule cannot be kept at the moment; it is tried again, and its slots wait'
        if (!one.failed) log.error({ err: error, ...one.schedule.ref }, text)
        settle(one, true)
      },
    )
  }

  function settle(one: Kept, failed: boolean): void {
    one.work = undefined
    one.failed = failed
    if (failed) one.dueAt = clock.now() + LONGEST_SLEEP_MS
    if (kept.get(keyOf(one.schedule.ref)) === one) queue(one)
  }

  function queue(one: Kept): void {
    heap.add(one)
    if (heap.first === one) wake.abort()
  }

  function replace(schedules: readonly LiveSchedule[]): void {
    const next = new Map(schedules.map((live) => [keyOf(refOf(live)), live]))
    for (const [key, one] of kept) {
      const live = next.get(key)
      if (live?.pipeline === one.live.pipeline) continue
      const schedule = live && scheduleOf(live)
      if (live && schedule?.times === one.schedule.times) edit(one, live, schedule)
      else leave(key, one)
    }
    for (const [key, live] of next) if (!kept.has(key)) keep(key, live)
  }

  function edit(one: Kept, live: LiveSchedule, schedule: Schedule): void {
    one.live = live
    const hasOtherJitter = one.schedule.trigger.jitterMs !== schedule.trigger.jitterMs
    one.schedule = hasOtherJitter ? edited(one.schedule, schedule, clock.now()) : schedule
    // Work in progress ends with the old schedule; then the schedule is checked again.
    if (one.work) return
    heap.remove(one)
    one.dueAt = clock.now()
    queue(one)
  }

  function keep(key: string, live: LiveSchedule): void {
    const one: Kept = {
      live,
      schedule: scheduleOf(live),
      isAhead: false,
      failed: false,
      dueAt: clock.now(),
      place: undefined,
      work: undefined,
    }
    kept.set(key, one)
    const before = left.get(key)
    // Two tasks may not account for the same slots at the same time.
    if (before) one.work = before.then(() => settle(one, false))
    else queue(one)
  }

  /** Removes a schedule; its work in progress still finishes. */
  function leave(key: string, one: Kept): void {
    kept.delete(key)
    heap.remove(one)
    const ended = (one.work ?? Promise.resolve()).then(() => leaveSchedule(one, options, over.signal))
    left.set(key, ended.catch(ignoring(one)))
  }

  function ignoring({ schedule: { ref } }: Kept): (error: unknown) => void {
    const text = 'the time until now is not recorded: slots in it may be taken for missed ones'
    return (error) => log.warn({ err: error, ...ref }, text)
  }

  function scheduleOf({ pipeline, trigger }: LiveSchedule): Schedule {
    const onProblem = (problem: AudienceError) =>
      log.error(refOf({ pipeline, trigger }), `${problem.message}; what it said last holds`)
    return openSchedule({ pipeline, trigger }, { checkFile, onProblem })
  }
}

function keyOf({ pipeline, trigger }: TriggerRef): string {
  return `${pipeline}/${trigger}`
}
