import { look } from '../../core/clock.ts'
import { DueHeap } from '../../core/due-heap.ts'
import type { AudienceError } from '../../core/errors.ts'
import { isStateAway } from '../../core/is-state-away.ts'
import { triggerName, triggerRefOf } from '../../core/occurrence.ts'
import { type LiveSchedule, openSchedule } from './live-schedule.ts'
import { edited, type Schedule } from './schedule.ts'
import { type Kept, keepSchedule, leaveSchedule, moveCursor, type SchedulerDeps } from './scheduled-trigger.ts'

/**
 * The longest time between two checks. After this time at the latest, it notices a changed clock, a machine that slept,
 * and a backfill or a pause from another process.
 */
const LONGEST_SLEEP_MS = 10_000

/**
 * Runs schedules: notes each slot once and fires what is due, including slots left over from before and slots that a
 * backfill added. One timer serves all of them. It keeps nothing in memory: the occurrence store ensures that a slot
 * fires once, and a slot whose run could not be recorded is tried again.
 */
export class Scheduler {
  readonly #deps: SchedulerDeps
  readonly #heap = new DueHeap<Kept>()
  readonly #kept = new Map<string, Kept>()
  /** The schedules that were removed in this process: each promise settles when the removal is complete. */
  readonly #left = new Map<string, Promise<void>>()
  readonly #over = new AbortController()
  #wake = new AbortController()
  readonly #loop: Promise<void>
  /** How many times this process has noticed that the clock went back. */
  #timesBack = 0

  constructor(deps: SchedulerDeps) {
    this.#deps = deps
    this.#loop = this.#run()
  }

  /** Replaces the set of schedules. Work in progress on a removed schedule still finishes. */
  replace(schedules: readonly LiveSchedule[]): void {
    const next = new Map(schedules.map((live) => [triggerName(triggerRefOf(live)), live]))
    for (const [key, one] of this.#kept) {
      const live = next.get(key)
      if (live?.pipeline === one.live.pipeline) continue
      const schedule = live && this.#scheduleOf(live)
      if (live && schedule?.times === one.schedule.times) this.#edit(one, live, schedule)
      else this.#leave(key, one)
    }
    for (const [key, live] of next) {
      const schedule = this.#kept.has(key) ? undefined : this.#scheduleOf(live)
      if (schedule) this.#keep(key, live, schedule)
    }
  }

  /** Ends the work in progress. Resolves when nothing more will be fired. */
  async stop(): Promise<void> {
    this.#over.abort()
    this.#wake.abort()
    await this.#loop
    await Promise.all([...this.#left.values(), ...[...this.#kept.values()].map(({ work }) => work)])
    await Promise.all([...this.#kept.values()].map((one) => moveCursor(one, this.#deps).catch(this.#ignoring(one))))
  }

  async #run(): Promise<void> {
    const { clock } = this.#deps
    let lastSweep = Number.NEGATIVE_INFINITY
    while (!this.#over.signal.aborted) {
      this.#wake = new AbortController()
      const { signal } = this.#wake
      const now = clock.now()
      if (now < lastSweep) this.#lookAtAll()
      for (let first = this.#heap.first; first && first.dueAt <= now; first = this.#heap.first) this.#work(first)
      // A clock that was set back must not delay the next sweep.
      if (now < lastSweep || now - lastSweep >= LONGEST_SLEEP_MS) {
        lastSweep = now
        await this.#sweep()
      }
      const dueInMs = (this.#heap.first?.dueAt ?? Number.POSITIVE_INFINITY) - clock.now()
      const ms = Math.min(LONGEST_SLEEP_MS, Math.max(0, dueInMs))
      await look(clock, ms, signal, Math.max(0, dueInMs))
    }
  }

  /** Checks all schedules now, because a clock that was ahead decided the times of their next checks. */
  #lookAtAll(): void {
    this.#timesBack += 1
    for (const one of this.#kept.values()) {
      // Work in progress notices by itself that the clock went back.
      if (one.work) continue
      this.#heap.remove(one)
      one.dueAt = this.#deps.clock.now()
      this.#heap.add(one)
    }
  }

  /** Works on schedules that failed, and on those with slots that a backfill in another process added. */
  async #sweep(): Promise<void> {
    const hasDue = await this.#dueNow()
    for (const one of this.#kept.values()) if (!one.work && (one.failed || hasDue(one))) this.#work(one)
  }

  /** Schedules with slots to fire that a backfill in another process added, or that are left over. */
  async #dueNow(): Promise<(one: Kept) => boolean> {
    const { occurrenceStore } = this.#deps
    try {
      const keys = new Set<string>()
      for (const ref of await occurrenceStore.triggersDue())
        if ((await occurrenceStore.memory(ref))?.pausedAt === undefined) keys.add(triggerName(ref))
      return ({ schedule }) => keys.has(triggerName(schedule.ref))
    } catch {
      // The work on each schedule will hit the same error, report it and try again.
      return () => true
    }
  }

  #work(one: Kept): void {
    const { clock, log } = this.#deps
    this.#heap.remove(one)
    const { schedule } = one
    const timesBack = this.#timesBack
    one.work = keepSchedule(one, this.#deps, this.#over.signal).then(
      () => {
        if (one.schedule !== schedule || timesBack !== this.#timesBack) one.dueAt = clock.now()
        this.#settle(one, false)
      },
      (error: unknown) => {
        const text =
          'the schedule cannot be processed at the moment; this will be retried, and until then its slots wait'
        if (!one.failed && !isStateAway(error)) log.error({ err: error, ...one.schedule.ref }, text)
        this.#settle(one, true)
      },
    )
  }

  #settle(one: Kept, failed: boolean): void {
    one.work = undefined
    one.failed = failed
    if (failed) one.dueAt = this.#deps.clock.now() + LONGEST_SLEEP_MS
    if (this.#kept.get(triggerName(one.schedule.ref)) === one) this.#queue(one)
  }

  #queue(one: Kept): void {
    this.#heap.add(one)
    if (this.#heap.first === one) this.#wake.abort()
  }

  #edit(one: Kept, live: LiveSchedule, schedule: Schedule): void {
    const { clock } = this.#deps
    one.live = live
    const hasOtherJitter = one.schedule.trigger.jitterMs !== schedule.trigger.jitterMs
    one.schedule = hasOtherJitter ? edited(one.schedule, schedule, clock.now()) : schedule
    // Work in progress ends with the old schedule; then the schedule is checked again.
    if (one.work) return
    this.#heap.remove(one)
    one.dueAt = clock.now()
    this.#queue(one)
  }

  #keep(key: string, live: LiveSchedule, schedule: Schedule): void {
    const one: Kept = {
      live,
      schedule,
      failed: false,
      dueAt: this.#deps.clock.now(),
      place: undefined,
      work: undefined,
    }
    this.#kept.set(key, one)
    const before = this.#left.get(key)
    // Two tasks may not account for the same slots at the same time.
    if (before) one.work = before.then(() => this.#settle(one, false))
    else this.#queue(one)
  }

  /** Removes a schedule; its work in progress still finishes. */
  #leave(key: string, one: Kept): void {
    this.#kept.delete(key)
    this.#heap.remove(one)
    const ended = (one.work ?? Promise.resolve()).then(() => leaveSchedule(one, this.#deps, this.#over.signal))
    this.#left.set(key, ended.catch(this.#ignoring(one)))
  }

  #ignoring({ schedule: { ref } }: Kept): (error: unknown) => void {
    const text = 'the progress of the schedule is not recorded: its slots up to now may later count as missed'
    return (error) => {
      if (!isStateAway(error)) this.#deps.log.warn({ err: error, ...ref }, text)
    }
  }

  /** Undefined if the schedule cannot be used, whatever the reason, because the other schedules must continue. */
  #scheduleOf(live: LiveSchedule): Schedule | undefined {
    const { log, checkFile } = this.#deps
    const onProblem = (problem: AudienceError) =>
      log.error(triggerRefOf(live), `${problem.message}; the last content that could be read still applies`)
    try {
      return openSchedule(live, { checkFile, onProblem })
    } catch (error) {
      log.error({ err: error, ...triggerRefOf(live) }, 'the schedule cannot be used until its document changes')
      return undefined
    }
  }
}
